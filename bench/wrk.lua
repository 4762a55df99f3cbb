-- Sends the lines of a file as requests, in turn: "METHOD PATH BODY", or a bearer token in the
-- place of the body. The callers' addresses rotate,
-- so that the limiter counts every request and refuses none.
local lines = {}
local at = 0
local caller = 0
local headers = {}

function init(args)
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  if args[2] and args[2] ~= "" then headers["Authorization"] = args[2] end
  headers["Content-Type"] = "application/json"
  math.randomseed(os.time())
  at = math.random(#lines)
end

function request()
  at = at % #lines + 1
  local method, path, body = lines[at]:match("^(%S+) (%S+) ?(.*)$")
  caller = (caller + 1) % 16384
  headers["X-Forwarded-For"] = "10.7." .. math.floor(caller / 256) .. "." .. caller % 256
  if body:find("^Bearer ") then headers["Authorization"] = body end
  if method == "GET" then body = nil end
  return wrk.format(method, path, headers, body)
end

function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout
  io.write(string.format('\nRESULT {"rate":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"bad":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, bad))
end
