-- A barrel that floats and drifts: the part of it under water lifts it, the current takes it along.
local own = ...
local ffi, fp, check, water = own.ffi, own.fp, own.check, own.water
local float = { count = 0 }
own.float = float

local HALF = 0.4
local GRAVITY, LIFT, DRAG = 9.8, 2.2, 3
-- A current of a full cell a tick, in nodes a second.
local PACE = 1 / own.settings.tick

local low, high = ffi.new("float[3]"), ffi.new("float[3]")
local submerged, flow = ffi.new("FpSubmerged"), ffi.new("float[3]")

-- Returns the share of a barrel that is under water. A node is centred on its position, a cell
-- begins there.
local function share_of(pos)
    low[0], low[1], low[2] = pos.x + 0.5 - HALF, pos.y + 0.5 - HALF, pos.z + 0.5 - HALF
    high[0], high[1], high[2] = pos.x + 0.5 + HALF, pos.y + 0.5 + HALF, pos.z + 0.5 + HALF
    if fp.fp_view_submerged(water.world, low, high, submerged) ~= fp.FP_STATUS_OK then return 0 end
    return submerged.volume / (2 * HALF) ^ 3
end

-- Returns the current at a point, in nodes a second along x and z.
local function current_at(pos)
    low[0], low[1], low[2] = pos.x + 0.5, pos.y + 0.5 - HALF / 2, pos.z + 0.5
    check(fp.fp_view_flow(water.world, low, flow))
    return flow[0] * PACE, flow[2] * PACE
end

local function colour(rgb) return "[combine:16x16^[noalpha^[colorize:" .. rgb .. ":255" end
local SIDE, END = colour("#8a5a2b"), colour("#5c3a1a")

minetest.register_entity("floodplain:barrel", {
    initial_properties = {
        physical = true,
        collide_with_objects = false,
        visual = "cube",
        visual_size = { x = 2 * HALF, y = 2 * HALF },
        collisionbox = { -HALF, -HALF, -HALF, HALF, HALF, HALF },
        textures = { END, END, SIDE, SIDE, SIDE, SIDE },
    },
    on_activate = function() float.count = float.count + 1 end,
    on_deactivate = function() float.count = float.count - 1 end,
    on_step = function(self, seconds)
        local object, share = self.object, share_of(self.object:get_pos())
        local speed, slowed = object:get_velocity(), math.min(1, DRAG * share * seconds)
        local x, z = 0, 0
        if share > 0 then x, z = current_at(object:get_pos()) end
        object:set_velocity({
            x = speed.x + (x - speed.x) * math.min(1, slowed * 2),
            y = speed.y * (1 - slowed) + GRAVITY * (LIFT * share - 1) * seconds,
            z = speed.z + (z - speed.z) * math.min(1, slowed * 2),
        })
    end,
    on_punch = function(self, puncher)
        if puncher and puncher:is_player() then
            puncher:get_inventory():add_item("main", "floodplain:barrel")
            self.object:remove()
        end
    end,
})

minetest.register_craftitem("floodplain:barrel", {
    description = "Barrel that floats",
    inventory_image = SIDE,
    on_place = function(stack, player, pointed)
        if pointed.type ~= "node" then return end
        minetest.add_entity(pointed.above, "floodplain:barrel")
        stack:take_item()
        return stack
    end,
})

-- The smoothed flow is followed only while something drifts.
function float.follow()
    if float.count > 0 then check(fp.fp_view_follow_flow(water.world)) end
end
