import { clockTime, feet, fullDay, hourOf, trend } from '../format.ts'
import { feetAt, HOUR, shore, turns } from '../tides.ts'

const WIDTH = 720
const HEIGHT = 200
const HOURS = 24

/** The current tide as a chart, with a list for screen readers. */
export function TideCard({ now }: { now: number }) {
  const from = Math.floor(now / HOUR) * HOUR - 4 * HOUR
  const to = from + HOURS * HOUR
  const [next] = turns(now, now + 13 * HOUR)
  return (
    <figure class="tide-card">
      <figcaption>
        <p class="eyebrow">{shore.name}</p>
        <h2 id="today">{fullDay(now)}</h2>
        <p class="now">
          <strong>{feet(feetAt(now))}</strong> and {trend(now)}
          {next && `, ${next.kind} at ${clockTime(next.time)}`}
        </p>
      </figcaption>
      <Curve from={from} to={to} now={now} />
      <ol class="turns">
        {turns(from, to).map((turn) => (
          <li key={turn.time}>
            <span class="turn-kind">{turn.kind === 'high' ? 'High' : 'Low'}</span>
            <span class="turn-feet">{feet(turn.feet)}</span>
            <span class="turn-time">{clockTime(turn.time)}</span>
          </li>
        ))}
      </ol>
    </figure>
  )
}

function Curve({ from, to, now }: { from: number; to: number; now: number }) {
  const x = (time: number) => round((WIDTH * (time - from)) / (to - from))
  const y = (height: number) => round(HEIGHT * (1 - (height + 2.5) / 10.5))
  const samples = Array.from({ length: HOURS * 4 + 1 }, (_, index) => from + (index * HOUR) / 4)
  const line = samples.map((time) => `${x(time)} ${y(feetAt(time))}`).join('L')
  const dot = (time: number) => `M${x(time)} ${y(feetAt(time))}h0`
  return (
    <div class="curve" aria-hidden="true">
      <div class="plot">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="curve-water" d={`M${line}V${HEIGHT}H0Z`} />
          <path class="curve-zero" d={`M0 ${y(0)}H${WIDTH}`} />
          <path class="curve-line" d={`M${line}`} />
          <path class="curve-now" d={`M${x(now)} 0V${HEIGHT}`} />
          <path
            class="curve-turn"
            d={turns(from, to)
              .map(({ time }) => dot(time))
              .join('')}
          />
          <path class="curve-dot" d={dot(now)} />
        </svg>
        <span class="zero">0 ft</span>
      </div>
      <div class="hours">
        {[0, 4, 8, 12, 16, 20].map((step) => (
          <span key={step}>{hourOf(from + step * HOUR)}</span>
        ))}
      </div>
    </div>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
