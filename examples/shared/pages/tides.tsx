import type { ComponentChildren } from 'preact'
import { clockTime, feet, shortDay } from '../format.ts'
import { HOUR, nextBelow, turns } from '../tides.ts'
import { Layout } from './layout.tsx'
import { TideCard } from './tide-chart.tsx'
import { ZoneIcon, zones } from './zones.tsx'

/** The paid page: the week ahead, next to the visitor's card. */
export function TidesPage({ now, children }: { now: number; children: ComponentChildren }) {
  return (
    <Layout title="My tides" signed_in>
      <div class="wide app">
        <div class="app-head">
          <h1>My tides</h1>
          {children}
        </div>
        <TideCard now={now} />
        <Walks now={now} />
        <Week now={now} />
      </div>
    </Layout>
  )
}

/** For each zone, the next hours in which its rocks are dry. */
function Walks({ now }: { now: number }) {
  return (
    <section class="panel" aria-labelledby="walks">
      <h2 id="walks">The next walks</h2>
      <ul class="walks">
        {zones.map((zone) => {
          const span = nextBelow(zone.below_feet, now)
          return (
            <li key={zone.name}>
              <ZoneIcon icon={zone.icon} />
              <div>
                <h3>{zone.name}</h3>
                <p class="walk-time">
                  {span
                    ? `${shortDay(span.from)}, ${clockTime(span.from)} to ${clockTime(span.to)}`
                    : 'Not in the next month'}
                </p>
                <p class="quiet">{zone.residents}</p>
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Week({ now }: { now: number }) {
  const days = Map.groupBy(turns(now, now + 7 * 24 * HOUR), ({ time }) => shortDay(time))
  return (
    <section class="panel" aria-labelledby="week">
      <h2 id="week">Seven days</h2>
      <table class="week">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Low water</th>
            <th scope="col">High water</th>
          </tr>
        </thead>
        <tbody>
          {[...days].map(([day, all]) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {(['low', 'high'] as const).map((kind) => (
                <td key={kind}>
                  {all
                    .filter((turn) => turn.kind === kind)
                    .map((turn) => (
                      <span key={turn.time} class={turn.feet < -0.05 ? 'turn is-minus' : 'turn'}>
                        <b>{feet(turn.feet)}</b> {clockTime(turn.time)}
                      </span>
                    ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
