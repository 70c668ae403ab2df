-- The C interface in LuaJIT, by its ffi: floodplain.lua reads the declarations from floodplain.h.
-- Prints one hash, as the samples of all languages do.
--
--   luajit sample.lua ../include/floodplain.h <target>/release/libfloodplain_c.so
local ffi = require("ffi")

-- The module that opens the library is beside the header.
local fp, check = dofile((arg[1]:gsub("%.h$", ".lua")))(ffi, arg[1], arg[2])

-- Returns what a function makes a handle of, which is freed with the last reference to it.
local function new(call, ...)
    local out = ffi.new("FpWorld *[1]")
    local count, arguments = select("#", ...) + 1, { ... }
    arguments[count] = out
    check(call(unpack(arguments, 1, count)))
    return ffi.gc(out[0], fp.fp_world_free)
end

-- Returns the bytes that a function writes.
local function bytes(call)
    local length = ffi.new("size_t[1]")
    local status = call(nil, 0, length)
    if status ~= fp.FP_STATUS_BUFFER then check(status) end
    local out = ffi.new("uint8_t[?]", length[0])
    check(call(out, length[0], length))
    return out, length[0]
end

local function edit(world, kind, fields)
    local outcome = ffi.new("FpOutcome")
    fields.kind = kind
    check(fp.fp_world_apply(world, ffi.new("FpEdit", fields), outcome))
    return outcome
end

local function hash_of(world)
    local hash = ffi.new("uint64_t[1]")
    check(fp.fp_world_state_hash(world, hash))
    check(fp.fp_world_validate(world))
    return hash[0]
end

local function new_water()
    local rules = ffi.new("FpWaterRules")
    check(fp.fp_water_rules_default(fp.FP_PRESET_LOSSLESS, rules))
    local world = new(fp.fp_water_new, 7, rules, nil)
    local words = ffi.new("uint16_t[4096]")
    for index = 0, 4095 do
        local y = math.floor(index / 256)
        if y == 0 then words[index] = fp.FP_WORD_SOLID end
        if y == 1 and index % 5 == 0 then words[index] = 3 end
    end
    check(fp.fp_water_insert_chunks(world, ffi.new("int32_t[3]", 0, 0, 0), 1, words, 4096))
    local open = ffi.new("uint16_t[1]", fp.FP_WORD_OPEN)
    check(fp.fp_water_insert_chunks(world, ffi.new("int32_t[3]", 1, 0, 0), 1, open, 1))
    edit(world, fp.FP_EDIT_KIND_FILL_SOLID, { cell = { 16, 0, 0 }, to = { 31, 0, 15 } })
    return world
end

local function twenty_ticks(world)
    for _ = 1, 5 do check(fp.fp_world_step(world, nil)) end
    local progress = ffi.new("FpProgress")
    for _ = 1, 5 do
        repeat check(fp.fp_world_step_within(world, 200, progress)) until progress.finished == 1
    end
    repeat check(fp.fp_world_step_for(world, 4000000, progress)) until progress.finished == 1
    check(fp.fp_world_run(world, 9, nil))
end

local function water()
    local world = new_water()
    edit(world, fp.FP_EDIT_KIND_ADD_SOURCE, { cell = { 8, 4, 8 } })
    local poured = edit(world, fp.FP_EDIT_KIND_POUR, { cell = { 20, 5, 8 }, units = 7 })
    assert(poured.units == 7)
    local solid = ffi.new("FpEdit", { kind = fp.FP_EDIT_KIND_SET_SOLID, cell = { 5, 1, 8 } })
    check(fp.fp_world_queue(world, solid, nil))
    twenty_ticks(world)

    local mesh = ffi.new("FpMesh")
    assert(fp.fp_view_mesh(world, 0, 0, 0, mesh) == fp.FP_STATUS_BUFFER)
    mesh.vertex_capacity, mesh.index_capacity = mesh.vertex_count, mesh.index_count
    local positions = ffi.new("float[?]", mesh.vertex_count * 3)
    local indices = ffi.new("uint32_t[?]", mesh.index_count)
    mesh.positions, mesh.indices = positions, indices
    check(fp.fp_view_mesh(world, 0, 0, 0, mesh))

    local limits = ffi.new("FpLimits")
    check(fp.fp_limits_default(limits))
    local pour = ffi.new("FpEdit", { kind = fp.FP_EDIT_KIND_POUR, cell = { 3, 9, 3 }, units = 7 })
    local sent, length = bytes(function(...)
        return fp.fp_edit_bytes(fp.FP_KIND_WATER, pour, ...)
    end)
    check(fp.fp_world_apply_bytes(world, sent, length, limits, nil))
    check(fp.fp_world_remove_chunks(world, ffi.new("int32_t[3]", 1, 0, 0), 1, nil))
    local records, count = bytes(function(...) return fp.fp_world_take_records(world, ...) end)
    check(fp.fp_world_run(world, 3, nil))
    check(fp.fp_world_insert_records(world, records, count))
    check(fp.fp_world_run(world, 7, nil))
    local saved, size = bytes(function(...) return fp.fp_world_snapshot(world, ...) end)
    local loaded = new(fp.fp_world_load, fp.FP_KIND_WATER, saved, size)
    assert(hash_of(loaded) == hash_of(world))
    return hash_of(world)
end

local function materials()
    local rules = ffi.new("FpMaterialsRules")
    check(fp.fp_materials_rules_default(rules))
    local world = new(fp.fp_materials_new, 5, nil, 0, rules, nil)
    local cells = ffi.new("uint8_t[4096]")
    for index = 0, 8 * 256 - 1 do cells[index] = 2 end
    local content = ffi.new("FpContent", { materials = cells, material_count = 4096 })
    check(fp.fp_materials_insert_chunks(world, content, 1))
    check(fp.fp_record_start(world, 10, 0, nil))
    edit(world, fp.FP_EDIT_KIND_RAIN, { cell = { 8, 15, 8 }, units = 40 })
    edit(world, fp.FP_EDIT_KIND_CHARGE, { cell = { 4, 8, 4 }, value = 500, value2 = 2 })
    check(fp.fp_world_run(world, 40, nil))
    local recording, length = bytes(function(...) return fp.fp_record_bytes(world, ...) end)
    local again = new(fp.fp_record_replay, fp.FP_KIND_MATERIALS, recording, length)
    assert(hash_of(again) == hash_of(world))
    return hash_of(world)
end

local function humidity()
    local rules = ffi.new("FpHumidityRules")
    check(fp.fp_humidity_rules_default(rules))
    local world = new(fp.fp_humidity_new, fp.FP_SHAPE_SHEET, rules, nil)
    local loam = ffi.new("FpHumidityCell", { humidity = 0, impermeability = 2 })
    check(fp.fp_humidity_insert_chunk(world, 0, 0, 0, loam, 1))
    edit(world, fp.FP_EDIT_KIND_SET_RAIN, { cell = { 30, 63, 0 }, value = 1000 })
    edit(world, fp.FP_EDIT_KIND_SET_ROCK, { cell = { 30, 60, 0 } })
    check(fp.fp_world_run(world, 50, nil))
    return hash_of(world)
end

local function blast()
    local rules = ffi.new("FpBlastRules")
    check(fp.fp_blast_rules_default(rules))
    rules.rule, rules.coefficient = fp.FP_BLAST_RULE_WAVE, 0.125
    rules.damping, rules.threshold = 0.75, 0.01
    local world = new(fp.fp_blast_new, fp.FP_SHAPE_CUBE, rules, nil, nil)
    edit(world, fp.FP_EDIT_KIND_SET_WALL, { cell = { 4, 0, 0 }, value = 2 })
    edit(world, fp.FP_EDIT_KIND_SET_PRESSURE, { cell = { 0, 0, 0 }, value = 3000 })
    local figure = ffi.new("FpProbe", { cell = { 3, 2, 0 }, cross_section = 0.5 })
    check(fp.fp_blast_run_probed(world, 20, figure, 1, nil))
    assert(figure.impulse[0] ~= 0)
    return hash_of(world)
end

-- LuaJIT's bit operations on 64 bits came with 2.1.
local bit = require("bit")
local hash = bit.bxor(water(), materials(), humidity(), blast())
print("floodplain: state hash " .. bit.tohex(hash))
