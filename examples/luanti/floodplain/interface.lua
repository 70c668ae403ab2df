-- What other mods may call: the global table `floodplain`. Positions are those of nodes.
local own = ...
local ffi, fp, check = own.ffi, own.fp, own.check
local cells, water, chunks, show, steps, hooks =
    own.cells, own.water, own.chunks, own.show, own.steps, own.hooks

-- Makes the mapblock of a position part of the water, if it is in memory. Returns whether it is.
function floodplain.load(pos)
    local x, y, z = math.floor(pos.x / 16), math.floor(pos.y / 16), math.floor(pos.z / 16)
    return chunks.load(x, y, z) ~= nil
end

-- Pours units of water into a node, what finds no room into the water there. Returns how many.
function floodplain.pour(pos, units)
    if not floodplain.load(pos) then return 0 end
    return hooks.pour(pos.x, pos.y, pos.z, units)
end

-- Takes up to so many units off the surface of the water of a node. Returns how many.
function floodplain.take(pos, units)
    if not floodplain.load(pos) then return 0 end
    return water.edit(fp.FP_EDIT_KIND_DRAIN_BODY, pos.x, pos.y, pos.z, units) or 0
end

-- Returns the units in a node, 0 to 7; nil if it takes no part.
function floodplain.units(pos) return (water.units(pos.x, pos.y, pos.z)) end

-- Returns the sums of water that came and went; `lost` is always 0.
floodplain.ledger = water.ledger

-- Saves, and waits until it is on the disk.
floodplain.save = water.save_now

-- Completes the tick underway and shows all changes, whatever time it takes.
floodplain.settle = steps.settle

-- Returns figures: ticks, chunks, what waits, and percentiles of a step's milliseconds.
function floodplain.figures()
    local out = steps.percentiles(0.5, 0.99, 1)
    return {
        ticks = steps.ticks, late = steps.late, saves = water.saves,
        chunks = chunks.count, loads = chunks.loads, unloads = chunks.unloads,
        to_load = chunks.waiting(), to_show = show.waiting(),
        awake = tonumber(water.activity().awake_cells), is_at_rest = water.activity().at_rest == 1,
        written = show.written, blocks = show.blocks, in_bulk = show.in_bulk,
        put_back = own.ground.put_back, held = own.ground.held,
        p50 = out[1], p99 = out[2], most = out[3],
    }
end

local looks, length = ffi.new("uint16_t[4096]"), ffi.new("size_t[1]")

-- Returns in how many nodes of a chunk the map differs from the water.
local function differing(chunk)
    check(fp.fp_view_looks(water.world, chunk.x, chunk.y, chunk.z, looks, 4096, length))
    local count = 0
    for index = 0, 4095 do
        local node = minetest.get_node({
            x = chunk.x * 16 + index % 16,
            y = chunk.y * 16 + math.floor(index / 16) % 16,
            z = chunk.z * 16 + math.floor(index / 256),
        })
        local code, look = cells.code(node), looks[cells.turned[index]]
        local is_shared = code >= cells.SPRING and code < cells.IGNORE
        local is_ground = bit.band(look, fp.FP_LOOK_SOLID) ~= 0
        local is_same = code == cells.to_show(look, code)
        if cells.is_ground(code) or is_shared then is_same = is_ground == cells.is_ground(code) end
        -- Ground that came back and holds water until there is room for it.
        if cells.is_ground(code) and own.ground.is_held(chunk, index) then is_same = true end
        if not is_same then count = count + 1 end
    end
    return count
end

-- Checks every law of the water, and that every node shows its cell, for tests: it reads all of
-- them. Returns the number of nodes that differ.
function floodplain.verify()
    check(fp.fp_world_validate(water.world))
    local count = 0
    for _, chunk in pairs(chunks.by_key) do
        if chunks.is_in_memory(chunk.x, chunk.y, chunk.z) then count = count + differing(chunk) end
    end
    return count
end
