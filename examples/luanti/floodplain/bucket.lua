-- An empty bucket takes seven units off the surface of the water that the player looks at, if there
-- are as many. A full one pours them: placing the game's source does that. Water is no liquid to
-- the engine, so the bucket of the game does not find it; its use is wrapped.
local own = ...
local fp, water = own.fp, own.water

local REACH, STEP = 5, 0.1

-- Returns the first cell with water before any other node that a player looks at.
local function looked_at(player)
    local eye = player:get_pos()
    eye.y = eye.y + (player:get_properties().eye_height or 1.5)
    local direction = player:get_look_dir()
    for way = 0, REACH, STEP do
        local pos = vector.round(vector.add(eye, vector.multiply(direction, way)))
        if (water.units(pos.x, pos.y, pos.z) or 0) > 0 then return pos end
        local node = minetest.registered_nodes[minetest.get_node(pos).name]
        if node and node.pointable then return nil end
    end
end

-- Takes a bucket of water out of the body of a cell. Returns whether there was one.
local function scoop(pos)
    local taken = water.edit(fp.FP_EDIT_KIND_DRAIN_BODY, pos.x, pos.y, pos.z, 7) or 0
    if taken == 7 then return true end
    own.hooks.pour(pos.x, pos.y, pos.z, taken)
    return false
end

local function give(player, stack, item)
    if stack:get_count() == 1 then return ItemStack(item) end
    local left = player:get_inventory():add_item("main", item)
    if not left:is_empty() then minetest.add_item(player:get_pos(), left) end
    stack:take_item()
    return stack
end

minetest.register_on_mods_loaded(function()
    local empty = minetest.registered_items["bucket:bucket_empty"]
    if not empty or not empty.on_use then return end
    local use = empty.on_use
    minetest.override_item("bucket:bucket_empty", {
        on_use = function(stack, player, pointed)
            local pos = looked_at(player)
            if not pos then return use(stack, player, pointed) end
            if minetest.is_protected(pos, player:get_player_name()) or not scoop(pos) then
                return stack
            end
            own.steps.save_soon()
            return give(player, stack, "bucket:bucket_water")
        end,
    })
end)
