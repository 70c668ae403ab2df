-- What has changed is written to the map, within a budget of time: few nodes of a mapblock one by
-- one, many of them in bulk. Chunks wait in a line, so that all of them are shown as often. Those
-- that the file does not have yet wait for a save.
local own = ...
local ffi, fp, check = own.ffi, own.fp, own.check
local cells, water, chunks = own.cells, own.water, own.chunks
local show = { written = 0, in_bulk = 0, blocks = 0 }
own.show = show

-- A node alone takes 3.3 µs, a mapblock 0.4 ms, and then all of it is sent to clients.
local BULK = 100
-- Microseconds that a mapblock may take, which are kept back.
local KEPT_BACK = 500

local line, first, last = {}, 1, 0
local unsaved, saves_seen = {}, 0
local looks, length = ffi.new("uint16_t[4096]"), ffi.new("size_t[1]")
local swap_node, set_node = minetest.swap_node, minetest.set_node

-- Puts a chunk in line, with the bits of the cells that changed; without any: all of it.
function show.mark(chunk, bits)
    if not bits then
        chunk.is_whole = true
    else
        chunk.bits = chunk.bits or ffi.new("uint32_t[128]")
        for word = 0, 127 do chunk.bits[word] = bit.bor(chunk.bits[word], bits[word]) end
    end
    if chunk.is_marked then return end
    chunk.is_marked = true
    last = last + 1
    line[last] = chunk
end

local indices, codes, count = {}, {}, 0

-- Notes a cell if another node is to show it. The nodes of springs, drains and ground stay.
local function look_at(chunk, cell)
    local index = cells.turned[cell]
    local shown = chunk.shown[index]
    if shown > cells.FLOODABLE then return end
    local code = cells.to_show(looks[cell], shown)
    if code == shown or code == cells.GROUND then return end
    count = count + 1
    indices[count], codes[count] = index, code
end

-- Finds the cells of a chunk that are to be shown anew.
local function find(chunk)
    count = 0
    check(fp.fp_view_looks(water.world, chunk.x, chunk.y, chunk.z, looks, 4096, length))
    local bits, is_whole = chunk.bits, chunk.is_whole
    for word = 0, 127 do
        local changed = is_whole and -1 or bits[word]
        if changed ~= 0 then
            for at = 0, 31 do
                if bit.band(bit.rshift(changed, at), 1) == 1 then look_at(chunk, 32 * word + at) end
            end
        end
    end
    chunk.is_whole = false
    if bits then ffi.fill(bits, 512) end
end

-- Fills in the position of a cell of a chunk: a new table, or one that is used again.
local function pos_of(chunk, index, pos)
    pos = pos or {}
    pos.x = chunk.x * 16 + index % 16
    pos.y = chunk.y * 16 + math.floor(index / 16) % 16
    pos.z = chunk.z * 16 + math.floor(index / 256)
    return pos
end

-- Lets a plant or a torch say what becomes of it. Returns whether it stays.
local function flood(pos, node)
    local old = minetest.get_node(pos)
    local definition = minetest.registered_nodes[old.name]
    local on_flood = definition and definition.on_flood
    return on_flood and on_flood(pos, old, node) or false
end

local reused = {}

local function show_one(chunk, index, code)
    local node = cells.node(code)
    if chunk.shown[index] ~= cells.FLOODABLE then
        swap_node(pos_of(chunk, index, reused), node)
    elseif flood(pos_of(chunk, index), node) then
        code = cells.SHARED
    else
        set_node(pos_of(chunk, index), node)
    end
    chunk.shown[index] = code
end

local ids, params, id_of = {}, {}, {}

local function id(code)
    if not id_of[code] then id_of[code] = minetest.get_content_id(cells.node(code).name) end
    return id_of[code]
end

local function show_in_bulk(chunk)
    local low = { x = chunk.x * 16, y = chunk.y * 16, z = chunk.z * 16 }
    local map = VoxelManip(low, { x = low.x + 15, y = low.y + 15, z = low.z + 15 })
    map:get_data(ids)
    map:get_param2_data(params)
    for at = 1, count do
        local index, code = indices[at], codes[at]
        local flooded = chunk.shown[index] == cells.FLOODABLE
        if flooded and flood(pos_of(chunk, index), cells.node(code)) then
            code = cells.SHARED
        else
            ids[index + 1] = id(code)
            params[index + 1] = cells.node(code).param2
        end
        chunk.shown[index] = code
    end
    map:set_data(ids)
    map:set_param2_data(params)
    own.hooks.write_to_map(map, false)
end

local function show_chunk(chunk)
    chunk.is_marked = false
    if chunks.by_key[chunk.key] ~= chunk or unsaved[chunk] then return end
    -- What is not in memory is compared when it comes back.
    if not chunks.is_in_memory(chunk.x, chunk.y, chunk.z) then return end
    find(chunk)
    if count == 0 then return end
    if not chunks.is_saved(chunk) then
        unsaved[chunk] = true
        return
    end
    show.written, show.blocks = show.written + count, show.blocks + 1
    if count > BULK then
        show.in_bulk = show.in_bulk + 1
        show_in_bulk(chunk)
    else
        for at = 1, count do show_one(chunk, indices[at], codes[at]) end
    end
end

local function mark_changed(x, y, z, bits)
    local chunk = chunks.by_key[chunks.key(x, y, z)]
    if not chunk then return end
    show.mark(chunk, bits)
    chunks.ask_beside(chunk)
end

-- After a tick or an edit: puts in line what changed.
function show.follow() water.take_changes(mark_changed) end

-- Whether chunks wait for a save, to be shown.
function show.needs_save() return next(unsaved) ~= nil end

-- Puts all of those chunks in line that a save has by now.
local function line_up_saved()
    if saves_seen == water.saves_written then return end
    saves_seen = water.saves_written
    for chunk in pairs(unsaved) do
        if chunks.is_saved(chunk) then
            unsaved[chunk] = nil
            show.mark(chunk)
        end
    end
end

-- Shows chunks for a time in microseconds.
function show.step(microseconds)
    line_up_saved()
    local finish = minetest.get_us_time() + microseconds - KEPT_BACK
    while first <= last and minetest.get_us_time() < finish do
        local chunk = line[first]
        line[first] = nil
        first = first + 1
        show_chunk(chunk)
    end
end

function show.waiting() return last - first + 1 end
