-- What happens in a step of the server, within one budget of time: chunks come and go between two
-- ticks of the water, a tick goes on, what it changed is shown, and a thread saves.
local own = ...
local settings, water, chunks, show = own.settings, own.water, own.chunks, own.show
local steps = { ticks = 0, late = 0 }
own.steps = steps

-- The most of a budget that is for mapblocks, between two ticks, and for a tick. What is left of it
-- is for showing.
local LOADING, TICKING = 0.4, 0.5

-- The milliseconds of the last steps, for percentiles.
local KEPT = 1000
local times, next_time = {}, 1

local due, unsaved = 0, 0

-- While the server lags behind, by generated or saved mapblocks, the water takes a part only.
local STEP = tonumber(minetest.settings:get("dedicated_server_step")) or 0.09
local function budget_after(seconds)
    return settings.step_ms * (seconds > 1.3 * STEP and 0.3 or 1)
end

function steps.save_soon() unsaved = settings.save_seconds end

-- Runs a tick if it is time, or goes on with one. What is late is not made up for.
local function tick(seconds, ms)
    due = due + seconds
    if not water.is_underway then
        if due < settings.tick then return end
        due = due - settings.tick
        if due > settings.tick then
            due, steps.late = settings.tick, steps.late + 1
        end
    end
    if water.tick(ms * 1e6) then
        steps.ticks = steps.ticks + 1
        own.float.follow()
        show.follow()
    end
end

-- A save that chunks wait for begins soon, and so does the next one, which tells that it is done.
local SOON = 0.2

local function save(seconds)
    unsaved = unsaved + seconds
    local needs_save = show.needs_save()
    if unsaved < (needs_save and SOON or settings.save_seconds) then return end
    unsaved = 0
    if water.is_dirty or needs_save then water.save() end
end

minetest.register_globalstep(function(seconds)
    local begin, budget = minetest.get_us_time(), budget_after(seconds)
    chunks.ask(seconds)
    if not water.is_underway then
        chunks.step(LOADING * budget * 1000)
        own.ground.step(seconds)
    end
    tick(seconds, TICKING * budget)
    show.step(begin + budget * 1000 - minetest.get_us_time())
    save(seconds)
    times[next_time] = (minetest.get_us_time() - begin) / 1000
    next_time = next_time % KEPT + 1
end)

-- Returns percentiles of the milliseconds that steps took, and their number.
function steps.percentiles(...)
    local sorted, out = {}, {}
    for at, time in ipairs(times) do sorted[at] = time end
    table.sort(sorted)
    for at, share in ipairs({ ... }) do
        out[at] = sorted[math.max(1, math.ceil(share * #sorted))] or 0
    end
    return out, #sorted
end

-- Completes the tick underway and shows all that has changed, after a save if chunks need one.
function steps.settle()
    water.finish()
    show.follow()
    while show.waiting() > 0 or show.needs_save() do
        if show.waiting() == 0 then water.save_now() end
        show.step(1e6)
    end
end
