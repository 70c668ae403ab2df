-- The scenes of `examples/luanti/take_pictures`: each is built, something is dug, and after some seconds
-- the client is told to take a picture. A pane in front shows what is under ground.
local NEAR, FAR = { x = -16, y = -16, z = -48 }, { x = 119, y = 47, z = 63 }

local function fill(low, high, name)
    local map = VoxelManip(low, high)
    local from, to = map:get_emerged_area()
    local area, data = VoxelArea:new({ MinEdge = from, MaxEdge = to }), map:get_data()
    local content = minetest.get_content_id(name)
    for index in area:iterp(low, high) do data[index] = content end
    map:set_data(data)
    map:write_to_map(true)
end

local function box(x, y, z, x2, y2, z2, name)
    fill({ x = x, y = y, z = z }, { x = x2, y = y2, z = z2 }, name)
end

local function set(x, y, z, name) minetest.set_node({ x = x, y = y, z = z }, { name = name }) end

local scenes = {}

-- A lake over a cave, and the shaft that someone has dug between them.
scenes.cave = {
    eye = { x = 21, y = 14, z = -21 }, yaw = 0, pitch = 0.14, seconds = 11,
    build = function()
        box(0, 0, 0, 44, 17, 24, "lab:stone")
        box(0, 18, 0, 44, 19, 24, "lab:dirt")
        box(0, 20, 0, 44, 20, 24, "lab:grass")
        box(5, 2, 1, 38, 8, 12, "air")
        box(3, 2, 13, 3, 2, 13, "lab:lamp")
        for x = 8, 36, 9 do box(x, 8, 12, x, 8, 12, "lab:lamp") end
        box(9, 15, 1, 31, 20, 14, "lab:water_source")
        box(9, 20, 1, 31, 20, 14, "air")
        box(9, 14, 1, 31, 14, 14, "lab:sand")
        box(1, 1, 0, 43, 20, 0, "lab:pane")
    end,
    act = function()
        for y = 9, 14 do
            for x = 19, 20 do
                for z = 3, 4 do minetest.remove_node({ x = x, y = y, z = z }) end
            end
        end
    end,
}

-- The course of the river: its middle, and the height of its bed.
local function course(x)
    return 24 + 9 * math.sin(x / 13) + 3 * math.sin(x / 5), 18 - math.floor(x / 7)
end

scenes.river = {
    eye = { x = 78, y = 25, z = 1 }, yaw = 1.0, pitch = 0.38, seconds = 40,
    build = function()
        box(0, 0, 0, 95, 1, 50, "lab:stone")
        for x = 0, 95 do
            local middle, bed = course(x)
            for z = 0, 50 do
                local away = math.abs(z - middle)
                local height = bed + math.floor(math.min(9, math.max(0, away - 2.6) * 0.55) + 0.5)
                if away > 2.6 then height = math.max(height, bed + 2) end
                for y = 2, height do set(x, y, z, y == height and "lab:grass" or "lab:dirt") end
                if away <= 2.6 then set(x, height, z, "lab:sand") end
            end
        end
    end,
    act = function()
        for x = 2, 4 do
            local middle, bed = course(x)
            for z = math.floor(middle) - 1, math.floor(middle) + 2 do
                set(x, bed + 2, z, "floodplain:spring")
            end
        end
        local middle, bed = course(95)
        for z = math.floor(middle) - 3, math.floor(middle) + 3 do
            set(95, bed + 1, z, "floodplain:drain")
        end
        minetest.after(26, function()
            for x = 44, 66, 7 do
                local z, y = course(x)
                minetest.add_entity({ x = x, y = y + 3, z = z }, "floodplain:barrel")
            end
        end)
    end,
}

-- Two wells that a tunnel joins: the water stands as high in the far one as its spring in the
-- other.
scenes.well = {
    eye = { x = 16, y = 12, z = -19 }, yaw = 0, pitch = 0.1, seconds = 40,
    build = function()
        box(0, 0, 0, 32, 16, 10, "lab:stone")
        box(0, 17, 0, 32, 17, 10, "lab:grass")
        box(6, 3, 1, 8, 20, 3, "air")
        box(24, 3, 1, 26, 20, 3, "air")
        box(6, 3, 1, 26, 4, 3, "air")
        for _, x in ipairs({ 5, 23 }) do
            box(x, 18, 0, x + 4, 18, 4, "lab:wood")
            box(x + 1, 18, 1, x + 3, 18, 3, "air")
        end
        for x = 9, 23, 7 do box(x, 5, 3, x, 5, 3, "lab:lamp") end
        for _, x in ipairs({ 7, 25 }) do
            for y = 7, 15, 4 do box(x, y, 4, x, y, 4, "lab:lamp") end
        end
        box(1, 1, 0, 31, 16, 0, "lab:pane")
    end,
    act = function() set(7, 14, 2, "floodplain:spring") end,
}

-- The player stands on a pane.
local function show(player, scene)
    local eye = scene.eye
    box(eye.x - 1, eye.y - 2, eye.z - 1, eye.x + 1, eye.y - 2, eye.z + 1, "lab:pane")
    player:set_pos({ x = eye.x, y = eye.y - 1.4, z = eye.z })
    player:set_look_horizontal(scene.yaw)
    player:set_look_vertical(scene.pitch)
end

local function hide_all(player)
    player:hud_set_flags({ hotbar = false, healthbar = false, crosshair = false, wielditem = false,
        breathbar = false, minimap = false })
    player:set_physics_override({ gravity = 0.2 })
    minetest.set_timeofday(0.48)
end

minetest.register_on_joinplayer(function(player)
    hide_all(player)
    local name = minetest.settings:get("picture")
    local scene = scenes[name]
    minetest.emerge_area(NEAR, FAR, function(_, _, remaining)
        if remaining > 0 then return end
        scene.build()
        show(player, scene)
        minetest.after(6, scene.act)
        minetest.after(6 + scene.seconds, function()
            floodplain.settle()
            print("picture: " .. name)
        end)
    end)
end)
