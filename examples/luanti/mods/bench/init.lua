-- What `examples/luanti/bench` measures: how long the steps of a server are while a flood runs and
-- 20 areas are generated elsewhere. A step's time is the processor time of the server's thread from
-- one step to the next, so neither its sleep nor other programs count; beside it, the time from
-- step to step on the clock. Works with the mod and without, with the same nodes.
local outside = assert(minetest.request_insecure_environment(), "bench is to be trusted")
local ffi = outside.require("ffi")
ffi.cdef([[
    typedef struct { long seconds, nanoseconds; } BenchTime;
    int clock_gettime(int clock, BenchTime *time);
]])
local THREAD_CLOCK, clock = 3, ffi.new("BenchTime")
local function processor_ms()
    ffi.C.clock_gettime(THREAD_CLOCK, clock)
    return tonumber(clock.seconds) * 1e3 + tonumber(clock.nanoseconds) / 1e6
end

local job = minetest.settings:get("bench_job")
local SIDE, FLOOR, TOP = 128, 1008, 1035
local SECONDS = tonumber(minetest.settings:get("bench_seconds"))
local LOW, HIGH = { x = 0, y = FLOOR, z = 0 }, { x = SIDE - 1, y = TOP, z = SIDE - 1 }
local SOURCE = { name = "lab:water_source" }

local function build(content_at)
    local map = VoxelManip(LOW, HIGH)
    local from, to = map:get_emerged_area()
    local area, data = VoxelArea:new({ MinEdge = from, MaxEdge = to }), map:get_data()
    for z = 0, SIDE - 1 do
        for y = FLOOR, TOP do
            for x = 0, SIDE - 1 do
                local is_wall = y == FLOOR or x == 0 or z == 0 or x == SIDE - 1 or z == SIDE - 1
                local name = is_wall and "lab:stone" or content_at(x, y - FLOOR, z)
                data[area:index(x, y, z)] = minetest.get_content_id(name)
            end
        end
    end
    map:set_data(data)
    map:write_to_map(false)
end

-- Each job: what is there at first, and what each of its steps does until one returns true.
local jobs = {}

-- 256 springs, 16 nodes above a walled floor, 8 of them a step.
jobs.springs = {
    content = function() return "air" end,
    step = function(at)
        for number = (at - 1) * 8, at * 8 - 1 do
            local x, z = number % 16 * 8 + 4, math.floor(number / 16) * 8 + 4
            minetest.set_node({ x = x, y = FLOOR + 16, z = z }, SOURCE)
        end
        return at == 32
    end,
}

-- A lake of 63,000 nodes behind a wall, in which a gap is dug.
jobs.breach = {
    content = function(x, y)
        if x == 50 and y <= 14 then return "lab:stone" end
        return x < 50 and y <= 10 and "lab:water_source" or "air"
    end,
    step = function(at)
        for z = 56, 71 do minetest.remove_node({ x = 50, y = FLOOR + 11 - at, z = z }) end
        return at == 10
    end,
}

-- No flood: what the areas alone take.
jobs.none = { content = jobs.springs.content, step = function() return true end }

local function percentile(sorted, share) return sorted[math.max(1, math.ceil(share * #sorted))] end

local function report(name, times)
    table.sort(times)
    print(("bench: %s %d %.2f %.2f %.2f"):format(name, #times, percentile(times, 0.5),
        percentile(times, 0.99), times[#times]))
end

local busy, lags, last_busy, last_time = {}, {}, nil, nil
local function measure()
    local now_busy, now = processor_ms(), minetest.get_us_time() / 1e3
    if last_busy then
        table.insert(busy, now_busy - last_busy)
        table.insert(lags, now - last_time)
    end
    last_busy, last_time = now_busy, now
end

local function count_wet()
    local _, counts = minetest.find_nodes_in_area(LOW, HIGH,
        { "lab:water_source", "lab:water_flowing" })
    return counts["lab:water_source"] + counts["lab:water_flowing"]
end

local emerged = 0
local function emerge_areas()
    for number = 0, 19 do
        local x, z = 1000 + number % 5 * 400, 1000 + math.floor(number / 5) * 400
        minetest.emerge_area({ x = x, y = -32, z = z }, { x = x + 79, y = 47, z = z + 79 },
            function(_, _, remaining) if remaining == 0 then emerged = emerged + 1 end end)
    end
end

local function finish()
    report("step", busy)
    report("lag", lags)
    print(("bench: areas %d wet %d"):format(emerged, count_wet()))
    if minetest.global_exists("floodplain") then
        local sums, figures = floodplain.ledger(), floodplain.figures()
        print(("bench: lost %d of %d, %d ticks, %d nodes shown"):format(sums.lost,
            sums.total + sums.away, figures.ticks, figures.written))
    end
    print("bench: done")
    minetest.request_shutdown()
end

local began, next_step
minetest.register_globalstep(function()
    if not began then return end
    measure()
    if next_step and jobs[job].step(next_step) then
        next_step = nil
    elseif next_step then
        next_step = next_step + 1
    end
    if minetest.get_us_time() - began > SECONDS * 1e6 then
        began = nil
        finish()
    end
end)

minetest.after(1, function()
    minetest.emerge_area(LOW, HIGH, function(_, _, remaining)
        if remaining > 0 then return end
        for x = 0, SIDE - 1, 16 do
            for y = FLOOR, TOP, 16 do
                for z = 0, SIDE - 1, 16 do
                    minetest.forceload_block({ x = x, y = y, z = z }, true)
                end
            end
        end
        build(jobs[job].content)
        minetest.after(6, function()
            emerge_areas()
            began, next_step = minetest.get_us_time(), 1
        end)
    end)
end)
