-- Mapblocks become chunks, and chunks go with them: into the file of the world, mid-flow, from
-- which they come back. Nodes say what is ground, and of a mapblock that was never a chunk, what
-- water there is. Of one that was, the file does: so its water outlives a map that was killed.
-- Until the file has it, its water is not shown: the map, whenever the engine saves it, has the
-- water that it had before.
local own = ...
local ffi, fp, check, settings = own.ffi, own.fp, own.check, own.settings
local cells, water, ground = own.cells, own.water, own.ground
local chunks = { by_key = {}, count = 0, loads = 0, unloads = 0 }
own.chunks = chunks

local SIDE = 4096
-- Offsets of the keys of the neighbours across the six faces.
chunks.beside = { 1, -1, SIDE, -SIDE, SIDE * SIDE, -SIDE * SIDE }

function chunks.key(x, y, z) return x + 2048 + SIDE * (y + 2048 + SIDE * (z + 2048)) end

local function of_key(key)
    local x, rest = key % SIDE, math.floor(key / SIDE)
    return x - 2048, rest % SIDE - 2048, math.floor(rest / SIDE) - 2048
end

local function corner(x, y, z) return { x = x * 16, y = y * 16, z = z * 16 } end

-- Blocks that are to be loaded have the status "active", too.
function chunks.is_in_memory(x, y, z) return minetest.get_node_or_nil(corner(x, y, z)) ~= nil end

-- Returns the chunk of a node's position and the node's index in it; nil if there is none.
function chunks.at(pos)
    local chunk = chunks.by_key[chunks.key(math.floor(pos.x / 16), math.floor(pos.y / 16),
        math.floor(pos.z / 16))]
    return chunk, pos.x % 16 + 16 * (pos.y % 16) + 256 * (pos.z % 16)
end

-- The mapblocks whose chunks are in the file.
local in_file = {}
do
    local list, count = water.unloaded()
    for at = 0, count - 1 do
        in_file[chunks.key(list[3 * at], list[3 * at + 1], list[3 * at + 2])] = true
    end
end

-- The first save that has a chunk which was made of its mapblock, by key.
local first_save = {}

-- Whether the file on the disk has a chunk: else, after a kill, its nodes say what water it has.
function chunks.is_saved(chunk)
    local save = first_save[chunk.key]
    if save and save > water.saves_written then return false end
    first_save[chunk.key] = nil
    return true
end

local function is_wet(code) return code >= 1 and code <= cells.SOURCE end

-- Before the edits for a node that was replaced: if a kill would have its water read from that
-- node, saves it now.
function chunks.keep_water(chunk, before, after)
    if before ~= after and is_wet(before) and not chunks.is_saved(chunk) then water.save_now() end
end

local ids, params = {}, {}

-- Reads the codes of a mapblock's nodes. Returns whether it is generated.
local function read(x, y, z, codes)
    local low = corner(x, y, z)
    local map = VoxelManip(low, { x = low.x + 15, y = low.y + 15, z = low.z + 15 })
    map:get_data(ids)
    map:get_param2_data(params)
    local by_id, is_whole = cells.by_id, true
    for index = 0, 4095 do
        local code = by_id[ids[index + 1]]
        if code == 1 then code = 1 + params[index + 1] % 16 end
        if code == cells.IGNORE then is_whole = false end
        codes[index] = code
    end
    return is_whole
end

-- Returns the word of a node of a mapblock that was never a chunk.
local function old_word(code, y)
    if code >= cells.IGNORE then return fp.FP_WORD_SOLID end
    if code == cells.SOURCE then
        if settings.sea_level and y <= settings.sea_level then return fp.FP_WORD_SEA end
        return settings.old_water == "spring" and fp.FP_WORD_SPRING or 7
    end
    if code == cells.SPRING then return fp.FP_WORD_SPRING end
    -- A column that falls is of what flows from above.
    if code >= 1 and code <= 8 then return math.max(1, code - 1) end
    return fp.FP_WORD_OPEN
end

local words, position = ffi.new("uint16_t[4096]"), ffi.new("int32_t[3]")
local length, found = ffi.new("size_t[1]"), ffi.new("uint8_t[1]")

local function place(chunk) position[0], position[1], position[2] = chunk.x, chunk.y, chunk.z end

local function cell_of(chunk, index)
    return chunk.x * 16 + index % 16, chunk.y * 16 + math.floor(index / 16) % 16,
        chunk.z * 16 + math.floor(index / 256)
end

local function edit_cell(chunk, index, kind, ...)
    local x, y, z = cell_of(chunk, index)
    return water.edit(kind, x, y, z, ...)
end

local function build_in(chunk, index, code)
    chunk.fixtures = chunk.fixtures + 1
    if code == cells.DRAIN then
        edit_cell(chunk, index, fp.FP_EDIT_KIND_SET_FIXTURE, 7, fp.FP_FIXTURE_DRAIN)
    else
        edit_cell(chunk, index, fp.FP_EDIT_KIND_ADD_SOURCE)
    end
end

local function build_in_all(chunk)
    for index = 0, 4095 do
        local code = chunk.shown[index]
        if code == cells.SPRING or code == cells.DRAIN then build_in(chunk, index, code) end
    end
end

-- The sea goes on beyond a column whose surface is all sea.
local function open_sea(chunk)
    local level = settings.sea_level
    if not (level and settings.sea_edge) or math.floor(level / 16) ~= chunk.y then return end
    for x = 0, 15 do
        for z = 0, 15 do
            if words[x + 16 * z + 256 * (level % 16)] ~= fp.FP_WORD_SEA then return end
        end
    end
    water.set_edge(chunk.x, chunk.z, level)
end

-- Makes the chunk of a mapblock that was none.
local function insert_new(chunk)
    local shown, turned, is_uniform = chunk.shown, cells.turned, true
    for index = 0, 4095 do
        local y = chunk.y * 16 + math.floor(index / 16) % 16
        words[turned[index]] = old_word(shown[index], y)
    end
    for cell = 1, 4095 do
        if words[cell] ~= words[0] then
            is_uniform = false
            break
        end
    end
    place(chunk)
    check(fp.fp_water_insert_chunks(water.world, position, 1, words, is_uniform and 1 or 4096))
    build_in_all(chunk)
    open_sea(chunk)
    first_save[chunk.key] = water.saves + 1
end

-- Makes the ground of a chunk that of the nodes, and its springs, which have nodes too. What opens
-- comes first: it has room for what ground displaces. In a chunk from the file, none of that may
-- leave the world, since the map may be older.
local function reconcile(chunk, is_from_file)
    check(fp.fp_water_chunk(water.world, chunk.x, chunk.y, chunk.z, words, 4096, length))
    local is_uniform, built, back = length[0] == 1, {}, {}
    for index = 0, 4095 do
        local code = chunk.shown[index]
        local word = is_uniform and words[0] or words[cells.turned[index]]
        local is_solid, is_ground = word == fp.FP_WORD_SOLID, code >= cells.IGNORE
        if is_ground and not is_solid then
            local list = (is_from_file or ground.is_held(chunk, index)) and back or built
            local x, y, z = cell_of(chunk, index)
            table.insert(list, { index = index, x = x, y = y, z = z })
        elseif is_solid and not is_ground then
            edit_cell(chunk, index, fp.FP_EDIT_KIND_CLEAR_SOLID)
        elseif not is_ground and word ~= fp.FP_WORD_SEA and bit.band(word, 64) ~= 0
            and code ~= cells.SOURCE and code ~= cells.SPRING then
            edit_cell(chunk, index, fp.FP_EDIT_KIND_REMOVE_SOURCE)
        end
    end
    for _, cell in ipairs(built) do edit_cell(chunk, cell.index, fp.FP_EDIT_KIND_SET_SOLID) end
    ground.bring_back(chunk, back)
    build_in_all(chunk)
end

-- The sources that were placed in mapblocks which were no chunks yet, by key: a chunk that comes
-- back from the file knows its water itself, and a new one would take them for old water.
local placed = {}

local function key_at(pos)
    return chunks.key(math.floor(pos.x / 16), math.floor(pos.y / 16), math.floor(pos.z / 16))
end

function chunks.note_source(pos)
    local key = key_at(pos)
    placed[key] = placed[key] or {}
    table.insert(placed[key], pos)
end

-- Takes the nodes of sources that are still to be placed for dry ones.
local function leave_out_placed(chunk)
    for _, pos in ipairs(placed[chunk.key] or {}) do
        local index = pos.x % 16 + 16 * (pos.y % 16) + 256 * (pos.z % 16)
        if chunk.shown[index] == cells.SOURCE then chunk.shown[index] = cells.DRY end
    end
end

local function place_placed(chunk)
    for _, pos in ipairs(placed[chunk.key] or {}) do
        own.hooks.place_source(pos.x, pos.y, pos.z)
    end
    placed[chunk.key] = nil
end

-- Makes a mapblock in memory a chunk, if it is generated and none yet. Returns the chunk.
function chunks.load(x, y, z)
    local key = chunks.key(x, y, z)
    if chunks.by_key[key] or not chunks.is_in_memory(x, y, z) then return chunks.by_key[key] end
    local chunk = { key = key, x = x, y = y, z = z, fixtures = 0, shown = ffi.new("uint8_t[4096]") }
    if not read(x, y, z, chunk.shown) then return nil end
    leave_out_placed(chunk)
    if in_file[key] then
        place(chunk)
        check(fp.fp_stream_load(water.stream, water.world, position, 1, found))
        assert(found[0] == 1, "a record is not in the file")
        in_file[key] = nil
        reconcile(chunk, true)
    else
        insert_new(chunk)
    end
    water.is_underway, water.is_dirty = false, true
    chunks.by_key[key] = chunk
    chunks.count, chunks.loads = chunks.count + 1, chunks.loads + 1
    own.show.mark(chunk)
    place_placed(chunk)
    ground.try_again(chunk)
    return chunk
end

-- Compares a chunk with its mapblock again, which a mod may have changed in bulk.
function chunks.compare(chunk)
    local before = ffi.new("uint8_t[4096]")
    ffi.copy(before, chunk.shown, 4096)
    if not read(chunk.x, chunk.y, chunk.z, chunk.shown) then return end
    for index = 0, 4095 do chunks.keep_water(chunk, before[index], chunk.shown[index]) end
    chunk.fixtures = 0
    reconcile(chunk, false)
    for index = 0, 4095 do
        local was, is = before[index], chunk.shown[index]
        if is == cells.SOURCE and was ~= is then
            own.hooks.place_source(cell_of(chunk, index))
        elseif was == cells.DRAIN and was ~= is then
            edit_cell(chunk, index, fp.FP_EDIT_KIND_SET_FIXTURE, 0, fp.FP_FIXTURE_NOTHING)
        end
    end
    own.show.mark(chunk)
end

local looks = ffi.new("uint16_t[4096]")

-- Whether a chunk is as its nodes say, so that no record is needed. Between two ticks no edit
-- waits.
local function is_dry(chunk)
    if chunk.fixtures > 0 then return false end
    check(fp.fp_view_looks(water.world, chunk.x, chunk.y, chunk.z, looks, 4096, length))
    for cell = 0, 4095 do
        local code = cells.wanted[looks[cell]]
        if code ~= cells.DRY and code ~= cells.GROUND then return false end
        -- Water that went, which the node does not show yet.
        if is_wet(chunk.shown[cells.turned[cell]]) then return false end
    end
    return true
end

local function unload(chunk)
    place(chunk)
    if is_dry(chunk) then
        water.edit(fp.FP_EDIT_KIND_REMOVE_CHUNK, chunk.x, chunk.y, chunk.z)
        first_save[chunk.key] = nil
    else
        check(fp.fp_stream_unload(water.stream, water.world, position, 1))
        in_file[chunk.key] = true
    end
    water.is_underway, water.is_dirty = false, true
    chunks.by_key[chunk.key] = nil
    ground.forget(chunk)
    chunks.count, chunks.unloads = chunks.count - 1, chunks.unloads + 1
end

-- The mapblocks that are to become chunks, first come first served, and those that water waits for
-- until they are loaded.
local queue, is_queued, first, last = {}, {}, 1, 0
local awaited = {}

local function enqueue(key)
    if is_queued[key] or chunks.by_key[key] then return end
    is_queued[key] = true
    last = last + 1
    queue[last] = key
end

function chunks.ask_for(pos) enqueue(key_at(pos)) end

-- Asks for the mapblocks beside a chunk with moving water.
function chunks.ask_beside(chunk)
    for _, offset in ipairs(chunks.beside) do
        local key = chunk.key + offset
        if not chunks.by_key[key] and not awaited[key] then
            awaited[key] = true
            if chunks.is_in_memory(of_key(key)) then enqueue(key) end
        end
    end
end

-- The offsets of mapblocks round a player, the nearest first.
local round = {}
for x = -settings.range, settings.range do
    for y = -settings.range, settings.range do
        for z = -settings.range, settings.range do
            table.insert(round, { x, y, z, x * x + y * y + z * z })
        end
    end
end
table.sort(round, function(a, b) return a[4] < b[4] end)

local function ask_round(player)
    local pos = player:get_pos()
    local x, y, z = math.floor(pos.x / 16), math.floor(pos.y / 16), math.floor(pos.z / 16)
    for _, offset in ipairs(round) do
        local at = { x + offset[1], y + offset[2], z + offset[3] }
        local key = chunks.key(unpack(at))
        if not chunks.by_key[key] and chunks.is_in_memory(unpack(at)) then enqueue(key) end
    end
end

-- Looks at some mapblocks of a list, by turns, and asks for those that are in memory.
local function ask_some(list, cursor)
    for _ = 1, 200 do
        cursor = next(list, list[cursor] and cursor or nil)
        if not cursor then return nil end
        if chunks.by_key[cursor] then
            list[cursor] = nil
        elseif chunks.is_in_memory(of_key(cursor)) then
            enqueue(cursor)
        end
    end
    return cursor
end

local waited, next_awaited, next_in_file = 0, nil, nil

-- Some times a second: what is round players, what water waits for, and what is in the file, as of
-- mapblocks that a mod keeps loaded.
function chunks.ask(seconds)
    waited = waited + seconds
    if waited < 0.5 then return end
    waited = 0
    for _, player in ipairs(minetest.get_connected_players()) do ask_round(player) end
    next_awaited = ask_some(awaited, next_awaited)
    next_in_file = ask_some(in_file, next_in_file)
end

local cursor

-- Looks at some chunks, by turns, and unloads those whose mapblock is gone.
local function unload_some()
    for _ = 1, 64 do
        local key, chunk = next(chunks.by_key, chunks.by_key[cursor] and cursor or nil)
        cursor = key
        if not key then return end
        if not chunks.is_in_memory(chunk.x, chunk.y, chunk.z) then
            cursor = nil
            unload(chunk)
        end
    end
end

-- Between two ticks: chunks go and come, for a time in microseconds.
function chunks.step(microseconds)
    unload_some()
    local finish = minetest.get_us_time() + microseconds
    while first <= last and minetest.get_us_time() < finish do
        local key = queue[first]
        queue[first], is_queued[key] = nil, nil
        first = first + 1
        chunks.load(of_key(key))
    end
end

function chunks.waiting() return last - first + 1 end
