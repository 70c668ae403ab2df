-- The world of water: its edits, its ticks and its file. Cells and chunks are three numbers.
local own = ...
local ffi, fp, check, settings = own.ffi, own.fp, own.check, own.settings
local water = { saves = 0, saves_written = 0, is_underway = false }
own.water = water

local PRESETS = {
    none = fp.FP_PRESET_LOSSLESS,
    slow = fp.FP_PRESET_DEFAULT,
    rain = fp.FP_PRESET_RAIN,
    desert = fp.FP_PRESET_DESERT,
}

local function rules()
    local made = ffi.new("FpWaterRules")
    check(fp.fp_water_rules_default(PRESETS[settings.evaporation] or PRESETS.none, made))
    made.unloaded.kind = fp.FP_EDGE_KIND_HELD
    return made
end

-- Opens the file of the world of the game, which has what a kill left, or makes it. Chunks wait in
-- the file for their mapblocks.
local function open()
    local path = minetest.get_worldpath() .. "/floodplain.redb"
    local world, stream = ffi.new("FpWorld *[1]"), ffi.new("FpStream *[1]")
    local status = fp.fp_stream_open(path, fp.FP_KIND_WATER, stream, world)
    local file = io.open(path, "rb")
    if status ~= fp.FP_STATUS_OK and file then
        file:close()
        check(status)
    end
    if status ~= fp.FP_STATUS_OK then
        local seed = ffi.cast("uint64_t", minetest.get_us_time())
        check(fp.fp_water_new(seed, rules(), nil, world))
        check(fp.fp_stream_create(path, world[0], stream))
    end
    water.world, water.stream = world[0], stream[0]
    check(fp.fp_water_set_rules(water.world, rules()))
end

local length = ffi.new("size_t[1]")

-- Returns the positions that a function lists, three numbers each, and their number.
local function positions(call)
    local status = call(nil, 0, length)
    if status ~= fp.FP_STATUS_BUFFER then check(status) end
    local out = ffi.new("int32_t[?]", math.max(1, tonumber(length[0])))
    check(call(out, length[0], length))
    return out, tonumber(length[0]) / 3
end

function water.unload_all()
    local list, count = positions(function(...) return fp.fp_world_chunks(water.world, ...) end)
    check(fp.fp_stream_unload(water.stream, water.world, list, count))
end

-- Returns the positions of the unloaded chunks, and their number.
function water.unloaded()
    return positions(function(...) return fp.fp_stream_unloaded(water.stream, ...) end)
end

local edit, outcome, ticket = ffi.new("FpEdit"), ffi.new("FpOutcome"), ffi.new("uint64_t[1]")
local queued = 0

local function fill(kind, x, y, z, units, option)
    edit.kind, edit.units, edit.option = kind, units or 0, option or 0
    edit.cell[0], edit.cell[1], edit.cell[2] = x, y, z
    edit.to[0], edit.to[1], edit.to[2] = x, y, z
end

-- Makes an edit. Returns the units of its outcome, or nil if the world refused it.
function water.edit(...)
    fill(...)
    if fp.fp_world_apply(water.world, edit, outcome) ~= fp.FP_STATUS_OK then return nil end
    water.is_underway, water.is_dirty = false, true
    return tonumber(outcome.units), outcome
end

-- Makes an edit before the next tick: while one is underway it would have to be completed.
function water.edit_soon(...)
    if not water.is_underway then return water.edit(...) end
    fill(...)
    check(fp.fp_world_queue(water.world, edit, ticket))
    queued, water.is_dirty = queued + 1, true
end

local reports = ffi.new("FpEditReport[256]")

-- Drops the reports of edits that waited: what was refused is seen when its chunk is compared.
local function drop_reports()
    if queued == 0 then return end
    if fp.fp_world_take_edit_reports(water.world, reports, 256, length) == fp.FP_STATUS_BUFFER then
        local more = ffi.new("FpEditReport[?]", tonumber(length[0]))
        check(fp.fp_world_take_edit_reports(water.world, more, length[0], length))
    end
    queued = queued - tonumber(length[0])
end

function water.set_edge(x, z, level)
    fill(fp.FP_EDIT_KIND_SET_EDGE, x, 0, z, 0, fp.FP_EDGE_KIND_LEVEL)
    edit.level = level
    check(fp.fp_world_apply(water.world, edit, nil))
end

local look = ffi.new("uint16_t[1]")

-- Returns the units of a cell, 7 for the sea, and its look; nil if it is not loaded.
function water.units(x, y, z)
    if fp.fp_view_look(water.world, x, y, z, look) ~= fp.FP_STATUS_OK then return nil end
    return bit.band(look[0], fp.FP_LOOK_UNITS), look[0]
end

local progress = ffi.new("FpProgress")

-- Runs a tick for so many nanoseconds. Returns whether it is complete.
function water.tick(nanoseconds)
    check(fp.fp_world_step_for(water.world, nanoseconds, progress))
    water.is_underway = progress.finished == 0
    water.is_dirty = true
    if not water.is_underway then drop_reports() end
    return not water.is_underway
end

function water.finish()
    check(fp.fp_world_finish_tick(water.world, nil))
    water.is_underway = false
end

local activity = ffi.new("FpActivity")
function water.activity()
    check(fp.fp_world_activity(water.world, activity))
    return activity
end

local ledger = ffi.new("FpWaterLedger")

-- Returns the ledger as numbers. `away` is in chunks whose mapblocks are not loaded.
function water.ledger()
    check(fp.fp_water_ledger(water.world, ledger))
    local sums = {}
    for _, name in ipairs({ "total", "loaded", "unloaded", "placed", "removed", "injected",
        "drained", "evaporated", "from_sea", "into_sea" }) do
        sums[name] = tonumber(ledger[name])
    end
    sums.away = sums.unloaded - sums.loaded
    local came = sums.placed + sums.injected + sums.from_sea
    local went = sums.removed + sums.drained + sums.evaporated + sums.into_sea
    sums.lost = came - went - sums.total - sums.away
    return sums
end

-- Changed cells by chunk; there is room for more when there are more.
local changes, room = ffi.new("FpChunkChanges[64]"), 64

-- Calls `each` with the position of each changed chunk and the bits of its cells.
function water.take_changes(each)
    while fp.fp_world_take_changes(water.world, changes, room, length) == fp.FP_STATUS_BUFFER do
        room = tonumber(length[0]) * 2
        changes = ffi.new("FpChunkChanges[?]", room)
    end
    for at = 0, tonumber(length[0]) - 1 do
        local one = changes[at]
        each(one.chunk[0], one.chunk[1], one.chunk[2], ffi.cast("uint32_t *", one.mask))
    end
end

local begun = ffi.new("uint32_t[1]")

-- Begins a save, which a thread writes, unless one is being written: when one begins, those before
-- it are on the disk, if it did not fail.
function water.save()
    check(fp.fp_stream_save(water.stream, water.world, begun))
    if begun[0] == 1 then
        water.saves_written = water.saves
        water.is_dirty, water.saves = false, water.saves + 1
    end
end

-- Saves and waits until it is on the disk.
function water.save_now()
    check(fp.fp_stream_wait(water.stream, nil))
    water.save()
    check(fp.fp_stream_wait(water.stream, nil))
    water.saves_written = water.saves
end

open()
water.unload_all()
minetest.register_on_shutdown(function()
    water.finish()
    water.save_now()
    check(fp.fp_stream_free(water.stream))
    check(fp.fp_world_free(water.world))
end)
