-- What happens in a step of the server, each part within its budget: chunks come and go between two
-- ticks of the water, a tick goes on, what it changed is shown, and a thread saves.
local own = ...
local settings, water, chunks, show = own.settings, own.water, own.chunks, own.show
local steps = { ticks = 0, late = 0 }
own.steps = steps

-- The milliseconds of the last steps, for percentiles.
local KEPT = 1000
local times, next_time = {}, 1

local due, unsaved = 0, 0

function steps.save_soon() unsaved = settings.save_seconds end

-- Runs a tick if it is time, or goes on with one. What is late is not made up for.
local function tick(seconds)
    due = due + seconds
    if not water.is_underway then
        if due < settings.tick then return end
        due = due - settings.tick
        if due > settings.tick then
            due, steps.late = settings.tick, steps.late + 1
        end
    end
    if water.tick(settings.tick_ms * 1e6) then
        steps.ticks = steps.ticks + 1
        own.float.follow()
        show.follow()
    end
end

local function save(seconds)
    unsaved = unsaved + seconds
    if unsaved < settings.save_seconds then return end
    unsaved = 0
    water.save()
end

minetest.register_globalstep(function(seconds)
    local begin = minetest.get_us_time()
    chunks.ask(seconds)
    if not water.is_underway then chunks.step(settings.load_ms * 1000) end
    tick(seconds)
    show.step(settings.show_ms * 1000)
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

-- Completes the tick underway and shows all that has changed.
function steps.settle()
    water.finish()
    show.follow()
    while show.waiting() > 0 do show.step(1e6) end
end
