-- What `examples/side_by_side/record` records: the nodes of a breach in the game's own water. The
-- scene is `nodes.txt` in the folder of the world; `record.txt` there gets what changes, four times
-- a second.
local SECONDS, EVERY = 30, 0.25
local ORIGIN = { x = 16, y = 1008, z = 16 }
local NODES = { ["."] = "air", w = "lab:water_source", g = "lab:stone", s = "lab:stone",
    ["#"] = "lab:dirt" }

local folder = minetest.get_worldpath()
local lines = io.lines(folder .. "/nodes.txt")
local sx, sy, sz = lines():match("^(%d+) (%d+) (%d+)$")
local size = { x = tonumber(sx), y = tonumber(sy), z = tonumber(sz) }
local rows = {}
for line in lines do table.insert(rows, line) end

-- The scene from 0 on, and panes around it, which nobody sees.
local LOW = vector.subtract(ORIGIN, 1)
local HIGH = vector.add(ORIGIN, size)
local function symbol(x, y, z)
    local row = rows[y * size.z + z + 1]
    if x < 0 or z < 0 or y < 0 or x >= size.x or z >= size.z or not row then return nil end
    return row:sub(x + 1, x + 1)
end

local function each(visit)
    for z = LOW.z, HIGH.z do
        for y = LOW.y, HIGH.y do
            for x = LOW.x, HIGH.x do visit(x, y, z) end
        end
    end
end

local function build()
    local map = VoxelManip(LOW, HIGH)
    local area = VoxelArea:new({ MinEdge = ({ map:get_emerged_area() })[1],
        MaxEdge = ({ map:get_emerged_area() })[2] })
    local data = map:get_data()
    each(function(x, y, z)
        local found = symbol(x - ORIGIN.x, y - ORIGIN.y, z - ORIGIN.z)
        data[area:index(x, y, z)] = minetest.get_content_id(found and NODES[found] or "lab:pane")
    end)
    map:set_data(data)
    map:write_to_map(true)
end

-- 0 without water, 1 to 8 for flowing water, 9 for a source.
local function level(x, y, z)
    local node = minetest.get_node({ x = x, y = y, z = z })
    if node.name == "lab:water_source" then return 9 end
    return node.name == "lab:water_flowing" and node.param2 % 8 + 1 or 0
end

local known, out = {}, nil
local function record(seconds)
    local changed = {}
    each(function(x, y, z)
        local here, key = level(x, y, z), x + 1000 * (z + 1000 * y)
        if here ~= known[key] then
            known[key] = here
            table.insert(changed, ("%d %d %d %d"):format(x - ORIGIN.x, y - ORIGIN.y, z - ORIGIN.z,
                here))
        end
    end)
    if out and #changed > 0 then
        out:write(("t %.2f\n%s\n"):format(seconds, table.concat(changed, "\n")))
    end
end

local began, last
minetest.register_globalstep(function()
    if not began then return end
    local seconds = (minetest.get_us_time() - began) / 1e6
    if seconds - last >= EVERY then
        last = seconds
        record(seconds)
    end
    if seconds > SECONDS then
        began = nil
        out:close()
        print("record: done")
        minetest.request_shutdown()
    end
end)

minetest.after(1, function()
    minetest.emerge_area(LOW, HIGH, function(_, _, remaining)
        if remaining > 0 then return end
        for x = LOW.x, HIGH.x + 15, 16 do
            for y = LOW.y, HIGH.y + 15, 16 do
                for z = LOW.z, HIGH.z + 15, 16 do
                    minetest.forceload_block({ x = x, y = y, z = z }, true)
                end
            end
        end
        build()
        minetest.after(4, function()
            record(0)
            out = io.open(folder .. "/record.txt", "w")
            out:write(("# %s %s, the game's own water\n"):format(minetest.get_version().project,
                minetest.get_version().string))
            each(function(x, y, z)
                if symbol(x - ORIGIN.x, y - ORIGIN.y, z - ORIGIN.z) == "g" then
                    minetest.remove_node({ x = x, y = y, z = z })
                end
            end)
            began, last = minetest.get_us_time(), 0
        end)
    end)
end)
