-- What `examples/luanti/check` asks of the mod, in three runs of a server with one world: dig,
-- pour, build, unload and come back, and be killed in mid-flow; go on after that; and start once
-- more. A fourth one has another world, with the springs and the sea of an old map. Two more have a
-- third world, whose map is newer than the last save of the water that the mod begins by itself.
-- Prints `check: ok` for each law that holds, `check: failed` for one that does not.
local run = tonumber(minetest.settings:get("check_run"))
local LOW, HIGH = { x = 0, y = 0, z = 0 }, { x = 63, y = 47, z = 31 }

local function say(...) print("check: " .. string.format(...)) end

local function tell_ledger()
    say("ledger: %s", dump(floodplain.ledger(), ""):gsub("%s+", " "))
end

local function expect(what, found, wanted)
    if found == wanted then return say("ok: %s", what) end
    say("failed: %s: %s instead of %s", what, tostring(found), tostring(wanted))
    tell_ledger()
    minetest.request_shutdown()
    error("a check failed")
end

-- A script is a coroutine; it goes on when what it waits for is so.
local script, is_so, waits = nil, nil, 0

local function wait(what, condition, seconds)
    is_so, waits = condition, seconds or 20
    if coroutine.yield() then return end
    say("failed: waited in vain until %s", what)
    say("figures: %s", dump(floodplain.figures(), ""):gsub("%s+", " "))
    minetest.request_shutdown()
    error("a check failed")
end

minetest.register_globalstep(function(seconds)
    if not script then return end
    waits = waits - seconds
    local met = not is_so or is_so()
    if not met and waits > 0 then return end
    local is_well, problem = coroutine.resume(script, met)
    if not is_well then
        say("failed: %s", problem)
        minetest.request_shutdown()
    end
    if coroutine.status(script) == "dead" then script = nil end
end)

local function each_block(act)
    for x = LOW.x, HIGH.x, 16 do
        for y = LOW.y, HIGH.y, 16 do
            for z = LOW.z, HIGH.z, 16 do act({ x = x, y = y, z = z }) end
        end
    end
end

local function load_area(low, high)
    local is_there = false
    minetest.emerge_area(low, high, function(_, _, remaining) is_there = remaining == 0 end)
    wait("the area is there", function() return is_there end)
end

local function load_all()
    load_area(LOW, HIGH)
    each_block(function(pos) assert(minetest.forceload_block(pos, true)) end)
    each_block(function(pos) assert(floodplain.load(pos)) end)
end

local function free_all()
    each_block(function(pos) minetest.forceload_free_block(pos, true) end)
    wait("all mapblocks are unloaded", function() return floodplain.figures().chunks == 0 end, 40)
end

local function at(x, y, z) return { x = x, y = y, z = z } end

local function fill(low, high, name)
    for x = low[1], high[1] do
        for y = low[2], high[2] do
            for z = low[3], high[3] do minetest.set_node(at(x, y, z), { name = name }) end
        end
    end
end

-- Writes boxes in bulk, as a generator does: each its least and greatest node, and a name.
local function write(boxes)
    local map = VoxelManip(LOW, HIGH)
    local from, to = map:get_emerged_area()
    local area, data = VoxelArea:new({ MinEdge = from, MaxEdge = to }), map:get_data()
    for _, box in ipairs(boxes) do
        local content = minetest.get_content_id(box[3])
        for index in area:iterp(box[1], box[2]) do data[index] = content end
    end
    map:set_data(data)
    map:write_to_map(true)
end

-- Rock up to y = 31 with a cave, a lake over it in two mapblocks, a well and weeds beside.
local function build()
    write({
        { at(0, 0, 0), at(63, 31, 31), "lab:stone" },
        { at(4, 4, 4), at(40, 12, 20), "air" },
        { at(10, 28, 6), at(25, 31, 17), "lab:water_source" },
        { at(45, 6, 10), at(45, 40, 10), "air" },
        { at(50, 32, 4), at(54, 32, 8), "lab:weed" },
    })
end

local function settle()
    floodplain.settle()
    expect("every node shows its cell, and every law holds", floodplain.verify(), 0)
    expect("nothing is lost", floodplain.ledger().lost, 0)
end

local LAKE = 16 * 4 * 12 * 7

local function dig_and_flood()
    build()
    load_all()
    expect("the old lake is still water", floodplain.ledger().total, LAKE)
    settle()
    minetest.dig_node(at(18, 31, 10))
    for y = 13, 27 do minetest.remove_node(at(18, y, 10)) end
    wait("the cave is wet", function() return (floodplain.units(at(30, 4, 10)) or 0) > 0 end, 40)
    settle()
    expect("the cave has what the lake lost", floodplain.ledger().total, LAKE)
    local node = minetest.get_node(at(30, 4, 10))
    expect("the cave's water is shown", node.name, "lab:water_flowing")
    expect("by its height", node.param2 % 8, floodplain.units(at(30, 4, 10)))
end

local function pour_and_build()
    minetest.set_node(at(52, 36, 6), { name = "lab:water_source" })
    expect("a source that is placed is a bucket", floodplain.ledger().total, LAKE + 7)
    wait("the weed is swept away", function()
        return minetest.get_node(at(52, 32, 6)).name ~= "lab:weed"
    end)
    expect("two buckets poured into one node", floodplain.pour(at(45, 20, 10), 14) >= 7, true)
    local before = floodplain.ledger()
    fill({ 12, 28, 8 }, { 12, 31, 15 }, "lab:stone")
    floodplain.settle()
    local sums = floodplain.ledger()
    expect("ground that is built displaces water, what finds no room is accounted for",
        sums.total + sums.removed, before.total + before.removed)
    expect("take takes", floodplain.take(at(14, 28, 10), 7) <= 7, true)
    settle()
end

-- A barrel that is dropped over the lake comes to rest at its surface.
local function float()
    local barrel = minetest.add_entity(at(20, 36, 12), "floodplain:barrel")
    wait("some seconds pass", function() return barrel:get_pos().y < 33 end, 10)
    local finish = minetest.get_us_time() + 4e6
    wait("it bobs", function() return minetest.get_us_time() > finish end)
    local pos = barrel:get_pos()
    local node = vector.round(pos)
    node.y = 36
    while (floodplain.units(node) or 0) == 0 do node.y = node.y - 1 end
    expect("a barrel floats", math.abs(pos.y - node.y) < 1, true)
    barrel:remove()
end

local function ask_by_chat()
    local _, words = minetest.registered_chatcommands["floodplain"].func("owner", "")
    expect("the chat command has the ledger", words:find("lost: 0", 1, true) ~= nil, true)
    expect("and the times", words:find("99 of 100", 1, true) ~= nil, true)
end

local function spring_and_drain()
    minetest.set_node(at(57, 32, 20), { name = "floodplain:spring" })
    minetest.set_node(at(60, 32, 20), { name = "floodplain:drain" })
    wait("a spring supplies and a drain takes", function()
        local sums = floodplain.ledger()
        return sums.injected > 50 and sums.drained > 20
    end)
    settle()
    expect("a spring keeps its node", minetest.get_node(at(57, 32, 20)).name, "floodplain:spring")
    minetest.remove_node(at(57, 32, 20))
    minetest.remove_node(at(60, 32, 20))
    floodplain.settle()
    local injected = floodplain.ledger().injected
    wait("some ticks pass", function() return floodplain.ledger().total >= 0 end, 1)
    expect("a spring that is dug is none", floodplain.ledger().injected, injected)
end

local function write_in_bulk()
    local before = floodplain.ledger().total
    write({
        { at(3, 40, 26), at(3, 40, 26), "lab:water_source" },
        { at(5, 40, 26), at(5, 40, 26), "lab:stone" },
    })
    expect("a source of another mod pours", floodplain.ledger().total, before + 7)
    settle()
end

-- All mapblocks go in mid-flow, and come back.
local function unload_and_come_back()
    for y = 13, 27 do minetest.remove_node(at(22, y, 14)) end
    local before = floodplain.ledger()
    wait("the water moves", function() return not floodplain.figures().is_at_rest end)
    free_all()
    local sums = floodplain.ledger()
    expect("what is unloaded is accounted for", sums.total + sums.away, before.total)
    expect("all of it", sums.total, 0)
    load_all()
    expect("all of it comes back", floodplain.ledger().total, before.total)
    settle()
    wait("it flows on", function() return not floodplain.figures().is_at_rest end)
end

-- In rock, with no room in the mapblock round it.
local POCKET = at(56, 10, 24)

-- Is killed while water runs into the well. The map was not saved since mapblocks were unloaded, so
-- the trench to the well and a pocket of water will be rock again.
local function until_killed()
    for x = 26, 45 do
        minetest.remove_node(at(x, 29, 10))
        minetest.remove_node(at(x, 28, 10))
    end
    minetest.remove_node(POCKET)
    expect("a pocket in the rock is filled", floodplain.pour(POCKET, 7), 7)
    wait("the well fills", function() return (floodplain.units(at(45, 6, 10)) or 0) > 0 end, 40)
    floodplain.save()
    say("units %d", floodplain.ledger().total)
    tell_ledger()
    say("kill")
    wait("it is killed", function() return false end, 60)
end

-- The pocket's mapblock comes alone: its water has no room, until others come.
local function hold_the_pocket()
    load_area(POCKET, POCKET)
    assert(minetest.forceload_block(POCKET, true))
    assert(floodplain.load(POCKET))
    expect("a pocket that was dug is rock again", minetest.get_node(POCKET).name, "lab:stone")
    expect("it holds its water", floodplain.units(POCKET), 7)
    expect("as the only node", floodplain.figures().held, 1)
    expect("every law holds with it", floodplain.verify(), 0)
end

local function after_the_kill()
    local units = tonumber(minetest.settings:get("check_units"))
    local sums = floodplain.ledger()
    expect("the file has every unit after a kill", sums.total + sums.away, units)
    hold_the_pocket()
    load_all()
    tell_ledger()
    expect("and all of them come back", floodplain.ledger().total, units)
    expect("the trench is rock again", minetest.get_node(at(30, 28, 10)).name, "lab:stone")
    local figures = floodplain.figures()
    say("%d units were put back beside rock", figures.put_back)
    expect("what found no room at once is put beside", figures.put_back >= 7, true)
    expect("no rock holds water when there is room", figures.held, 0)
    settle()
    local ticks = floodplain.figures().ticks
    wait("ticks go on", function() return floodplain.figures().ticks > ticks + 40 end, 30)
    settle()
    expect("no unit is lost", floodplain.ledger().total, units)
    say("units %d", units)
    minetest.request_shutdown()
end

local function once_more()
    local units = tonumber(minetest.settings:get("check_units"))
    load_all()
    expect("a server that was stopped has every unit", floodplain.ledger().total, units)
    settle()
    local figures = floodplain.figures()
    say("%d ticks, a step of the water takes %.2f ms, 99 of 100 below %.2f ms", figures.ticks,
        figures.p50, figures.p99)
    minetest.request_shutdown()
end

-- In a world of its own, whose old water is springs, and the sea up to y = 8.
local function springs_and_sea()
    load_area(LOW, HIGH)
    write({
        { at(0, 0, 0), at(63, 9, 31), "lab:stone" },
        { at(2, 4, 2), at(20, 8, 12), "lab:water_source" },
        { at(26, 4, 2), at(50, 8, 12), "air" },
        { at(40, 14, 20), at(40, 14, 20), "lab:water_source" },
    })
    load_all()
    expect("the sea holds no units of the world", floodplain.ledger().total, 7)
    settle()
    fill({ 21, 5, 6 }, { 25, 6, 7 }, "air")
    wait("the sea and a spring supply", function()
        local sums = floodplain.ledger()
        return sums.from_sea > 300 and sums.injected > 50
    end, 30)
    settle()
    expect("the sea is as it was", minetest.get_node(at(10, 8, 6)).name, "lab:water_source")
    expect("the spring too", minetest.get_node(at(40, 14, 20)).name, "lab:water_source")
    minetest.request_shutdown()
end

-- Two rooms in rock each, of which only the left one is a chunk in the file: a lake in it runs into
-- the right one; and a lake runs out of the right one into it. At its least and its greatest node.
local RUNS_IN = { at(0, 0, 0), at(31, 15, 15) }
local RUNS_OUT = { at(0, 0, 16), at(31, 15, 31) }
local OLD = 12 * 12 * 8 * 7

local function load_pair(pair)
    for _, pos in ipairs(pair) do
        assert(minetest.forceload_block(pos, true))
        assert(floodplain.load(pos))
    end
end

local function units_of(pair)
    local sum, low, high = 0, pair[1], pair[2]
    for x = low.x, high.x do
        for y = low.y, high.y do
            for z = low.z, high.z do sum = sum + floodplain.units(at(x, y, z)) end
        end
    end
    return sum
end

local BUILT_ON = at(40, 3, 8)

local function build_on_a_new_lake()
    assert(floodplain.load(BUILT_ON))
    local saves = floodplain.figures().saves
    minetest.set_node(BUILT_ON, { name = "lab:stone" })
    expect("a new chunk is saved when its water is built on", floodplain.figures().saves, saves + 1)
end

-- Is killed after the map was saved with what ran in and out.
local function until_killed_with_a_newer_map()
    load_area(LOW, HIGH)
    write({
        { at(0, 0, 0), at(63, 31, 31), "lab:stone" },
        { at(2, 2, 2), at(13, 9, 13), "lab:water_source" },
        { at(18, 2, 2), at(29, 9, 13), "air" },
        { at(2, 2, 18), at(13, 9, 29), "air" },
        { at(18, 2, 18), at(29, 9, 29), "lab:water_source" },
        { at(34, 2, 2), at(45, 9, 13), "air" },
        { at(34, 2, 2), at(45, 4, 13), "lab:water_source" },
    })
    load_pair({ RUNS_IN[1], RUNS_OUT[1] })
    floodplain.save()
    expect("the file has one of the lakes", floodplain.ledger().total, OLD)
    build_on_a_new_lake()
    fill({ 14, 2, 8 }, { 17, 9, 8 }, "air")
    fill({ 14, 2, 24 }, { 17, 9, 24 }, "air")
    wait("a lake has run into a new chunk, as nodes show, and out of another one", function()
        return minetest.get_node(at(25, 2, 8)).name == "lab:water_flowing"
            and minetest.get_node(at(5, 2, 24)).name == "lab:water_flowing"
            and minetest.get_node(at(20, 9, 24)).name ~= "lab:water_source"
    end, 40)
    local finish = minetest.get_us_time() + 3e6
    wait("the map is saved", function() return minetest.get_us_time() > finish end)
    tell_ledger()
    say("kill")
    wait("it is killed", function() return false end, 60)
end

local function after_the_kill_with_a_newer_map()
    load_area(LOW, HIGH)
    expect("the map has what was dug", minetest.get_node(at(16, 5, 8)).name ~= "lab:stone", true)
    load_pair({ RUNS_IN[1], RUNS_IN[2], RUNS_OUT[1], RUNS_OUT[2] })
    tell_ledger()
    expect("no unit that ran into a new chunk is doubled", units_of(RUNS_IN), OLD)
    expect("no unit that ran out of a new chunk is lost", units_of(RUNS_OUT), OLD)
    settle()
    minetest.request_shutdown()
end

local RUNS = {
    function()
        load_all()
        free_all()
        load_area(LOW, HIGH)
        dig_and_flood()
        pour_and_build()
        float()
        ask_by_chat()
        spring_and_drain()
        write_in_bulk()
        unload_and_come_back()
        until_killed()
    end,
    after_the_kill,
    once_more,
    springs_and_sea,
    until_killed_with_a_newer_map,
    after_the_kill_with_a_newer_map,
}

minetest.after(1, function()
    say("run %d", run)
    script = coroutine.create(function()
        RUNS[run]()
        say("done")
    end)
end)
