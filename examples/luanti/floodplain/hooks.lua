-- What players and mods do to nodes: all of it passes through a few functions of the engine, which
-- are wrapped here. Ground that is dug opens its cell, ground that is built displaces water, a
-- source that is placed pours.
local own = ...
local ffi, fp, settings = own.ffi, own.fp, own.settings
local cells, water, chunks = own.cells, own.water, own.chunks
local hooks = {}
own.hooks = hooks

local get_node = minetest.get_node
local BESIDE = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } }

local function is_wet(x, y, z)
    local code = cells.code(get_node({ x = x, y = y, z = z }))
    return code >= 1 and code <= cells.SOURCE
end

local function is_water_near(pos)
    if is_wet(pos.x, pos.y, pos.z) then return true end
    for _, offset in ipairs(BESIDE) do
        if is_wet(pos.x + offset[1], pos.y + offset[2], pos.z + offset[3]) then return true end
    end
    return false
end

-- Asks for the mapblocks of a node and of those beside it, if there is water to move: they are read
-- between two ticks, as the node is then. That a source was placed is noted.
local function ask_for(pos, code)
    local brings = code >= 1 and code <= cells.SOURCE or code == cells.SPRING
    if not brings and not is_water_near(pos) then return end
    if code == cells.SOURCE then chunks.note_source(pos) end
    chunks.ask_for(pos)
    for _, offset in ipairs(BESIDE) do
        chunks.ask_for({ x = pos.x + offset[1], y = pos.y + offset[2], z = pos.z + offset[3] })
    end
end

-- Pours a bucket into a cell, what finds no room there into its body of water.
function hooks.pour(x, y, z, units)
    local poured = water.edit(fp.FP_EDIT_KIND_POUR, x, y, z, units) or 0
    if poured < units then
        poured = poured + (water.edit(fp.FP_EDIT_KIND_FILL_BODY, x, y, z, units - poured) or 0)
    end
    return poured
end

local function remove_fixture(code, x, y, z)
    if code == cells.SPRING then
        water.edit_soon(fp.FP_EDIT_KIND_REMOVE_SOURCE, x, y, z)
        water.edit_soon(fp.FP_EDIT_KIND_SCOOP, x, y, z, 7)
    else
        water.edit_soon(fp.FP_EDIT_KIND_SET_FIXTURE, x, y, z, 0, fp.FP_FIXTURE_NOTHING)
    end
end

local function add_fixture(code, x, y, z)
    if code == cells.SPRING then
        water.edit_soon(fp.FP_EDIT_KIND_ADD_SOURCE, x, y, z)
    else
        water.edit_soon(fp.FP_EDIT_KIND_SET_FIXTURE, x, y, z, 7, fp.FP_FIXTURE_DRAIN)
    end
end

-- A source that is placed becomes a spring, or pours seven units: what finds no room in a cell with
-- water goes into its body.
function hooks.place_source(x, y, z)
    if settings.placed_water == "spring" then
        water.edit_soon(fp.FP_EDIT_KIND_ADD_SOURCE, x, y, z)
    elseif (water.units(x, y, z) or 0) == 0 then
        water.edit_soon(fp.FP_EDIT_KIND_POUR, x, y, z, 7)
    else
        water.edit_soon(fp.FP_EDIT_KIND_FILL_BODY, x, y, z, 7)
    end
end

local function is_fixture(code) return code == cells.SPRING or code == cells.DRAIN end

local function follow_ground(was_ground, is_ground, x, y, z)
    if was_ground and not is_ground then
        water.edit_soon(fp.FP_EDIT_KIND_CLEAR_SOLID, x, y, z)
    elseif is_ground and not was_ground then
        water.edit_soon(fp.FP_EDIT_KIND_SET_SOLID, x, y, z)
    end
end

local bits = ffi.new("uint32_t[128]")

-- The cell may look as before, though another node shows it.
local function show_again(chunk, index)
    local cell = cells.turned[index]
    ffi.fill(bits, 512)
    bits[math.floor(cell / 32)] = bit.lshift(1, cell % 32)
    own.show.mark(chunk, bits)
end

-- Tells the water that a node has become another one.
local function follow(chunk, index, pos, before, after)
    local x, y, z = pos.x, pos.y, pos.z
    chunks.keep_water(chunk, before, after)
    chunk.shown[index] = after
    if is_fixture(before) then
        remove_fixture(before, x, y, z)
        chunk.fixtures = chunk.fixtures - 1
    end
    follow_ground(cells.is_ground(before), cells.is_ground(after), x, y, z)
    if not cells.is_ground(after) then own.ground.release(chunk, index) end
    if is_fixture(after) then
        add_fixture(after, x, y, z)
        chunk.fixtures = chunk.fixtures + 1
        own.steps.save_soon()
    elseif after == cells.SOURCE then
        hooks.place_source(x, y, z)
    elseif after == cells.DRY and before >= 1 and before <= cells.SOURCE then
        water.edit_soon(fp.FP_EDIT_KIND_REMOVE_SOURCE, x, y, z)
        water.edit_soon(fp.FP_EDIT_KIND_SCOOP, x, y, z, 7)
    end
    show_again(chunk, index)
end

-- Wraps a function that changes a node.
local function changing(change)
    return function(pos, ...)
        local at = { x = math.floor(pos.x + 0.5), y = math.floor(pos.y + 0.5),
            z = math.floor(pos.z + 0.5) }
        local result = change(pos, ...)
        local chunk, index = chunks.at(at)
        local after = cells.code(get_node(at))
        if not chunk then
            if after ~= cells.IGNORE then ask_for(at, after) end
        elseif after ~= chunk.shown[index] then
            follow(chunk, index, at, chunk.shown[index], after)
        end
        return result
    end
end

for _, name in ipairs({ "set_node", "add_node", "swap_node", "remove_node" }) do
    minetest[name] = changing(minetest[name])
end

-- Each node of it is one of `set_node`, unless there is neither a chunk nor water.
local bulk_set_node = minetest.bulk_set_node
function minetest.bulk_set_node(positions, node)
    for _, pos in ipairs(positions) do
        if chunks.at(pos) or is_water_near(pos) then
            for _, each in ipairs(positions) do minetest.set_node(each, node) end
            return true
        end
    end
    return bulk_set_node(positions, node)
end

-- Compares the chunks of a box with their mapblocks again.
local function compare(low, high)
    for x = math.floor(low.x / 16), math.floor(high.x / 16) do
        for y = math.floor(low.y / 16), math.floor(high.y / 16) do
            for z = math.floor(low.z / 16), math.floor(high.z / 16) do
                local chunk = chunks.by_key[chunks.key(x, y, z)]
                if chunk then chunks.compare(chunk) end
            end
        end
    end
end

-- Mods that write in bulk, explosions among them, do it by this method. There are objects with it
-- from the first step on.
minetest.after(0, function()
    local methods = getmetatable(VoxelManip())
    hooks.write_to_map = methods.write_to_map
    function methods.write_to_map(map, ...)
        hooks.write_to_map(map, ...)
        compare(map:get_emerged_area())
    end
end)

-- The generator also writes into mapblocks round those that it makes.
minetest.register_on_generated(function(low, high)
    compare(vector.subtract(low, 16), vector.add(high, 16))
end)
