import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { JSX } from 'preact'
import { RecordTable } from './records.tsx'

/** A line of a chart: the first one of a chart is filled, a dashed one is for comparison. */
export interface Series {
  name: string
  values: number[]
  is_dashed?: boolean
}

interface ChartFacts {
  /** Unique on the page. */
  id: string
  title: string
  /** What the chart shows in one or two sentences, for people who do not see it. */
  description: string
  /** What each point is about, such as "June 30, 2026". */
  labels: string[]
  /** The heading of these labels in the table. */
  label_heading: string
  /** What is written at the two ends of the axis. */
  ends: [first: string, last: string]
  series: Series[]
  /** The smallest step between two labels of the axis, such as 100 for cents: one dollar. */
  smallest_step?: number
  /** A value in words, for axis and table. */
  format: (value: number) => string
  /** A tick of the axis, if it is shorter than `format`. */
  formatTick?: (value: number) => string
}

// The drawing is stretched to its place, so these are only proportions.
const WIDTH = 1000
const HEIGHT = 300
const TICKS = 4
// A loss of less than this part of the highest value is drawn on the axis: a step of the axis
// below zero would make every other value smaller.
const VISIBLE_LOSS = 0.02

/**
 * Lines over time, drawn on the server, with the same figures as a table. The drawing has no text:
 * labels are beside it, so that they stay readable at any width.
 */
export function Chart(facts: ChartFacts): JSX.Element {
  const { id, title, series } = facts
  const values = series.flatMap((each) => each.values)
  const lowest = Math.min(0, ...values)
  const highest = Math.max(0, ...values, lowest + TICKS * (facts.smallest_step ?? 1))
  const bottom = lowest < -VISIBLE_LOSS * highest ? lowest : 0
  const y = scaleLinear([bottom, highest], [HEIGHT, 0]).nice(TICKS)
  const ticks = y.ticks(TICKS)
  const format = facts.formatTick ?? facts.format
  return (
    <figure class="grid grid-cols-1 gap-3" aria-labelledby={`${id}-caption`}>
      <figcaption id={`${id}-caption`} class="flex flex-wrap items-baseline gap-x-5 gap-y-1">
        <span class="font-semibold">{title}</span>
        <Legend series={series} />
      </figcaption>
      <div class="grid grid-cols-[auto_1fr] gap-x-3">
        <div
          aria-hidden="true"
          class="flex flex-col-reverse justify-between text-end text-xs leading-4 text-muted tabular-nums"
        >
          {ticks.map((tick) => (
            <span key={tick}>{format(tick)}</span>
          ))}
        </div>
        <Drawing facts={facts} y={y} ticks={ticks} />
        <div
          aria-hidden="true"
          class="col-start-2 flex justify-between gap-3 text-xs text-muted tabular-nums *:last:text-end"
        >
          {facts.ends.map((end) => (
            <span key={end}>{end}</span>
          ))}
        </div>
      </div>
      <Figures {...facts} />
    </figure>
  )
}

const SHADES = ['stroke-primary', 'stroke-accent', 'stroke-info'] as const

/** Lines, area and grid, without text. */
function Drawing(facts: {
  facts: ChartFacts
  y: (value: number) => number
  ticks: number[]
}): JSX.Element {
  const { y, ticks } = facts
  const { id, title, description, labels, series } = facts.facts
  const x = scaleLinear([0, Math.max(1, labels.length - 1)], [0, WIDTH])
  const pathOf = line<number>((_, index) => x(index), y).digits(1)
  const areaOf = area<number>((_, index) => x(index), y(0), y).digits(1)
  const [first] = series
  return (
    <svg
      role="img"
      aria-labelledby={`${id}-title ${id}-description`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      class="my-2 h-44 w-full overflow-visible sm:h-56"
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-description`}>{description}</desc>
      {ticks.map((tick) => (
        <line
          key={tick}
          x1={0}
          x2={WIDTH}
          y1={y(tick)}
          y2={y(tick)}
          class={tick === 0 ? 'stroke-edge' : 'stroke-base-300'}
          vector-effect="non-scaling-stroke"
        />
      ))}
      {first && <path d={areaOf(drawn(first)) ?? ''} class="fill-primary opacity-10" />}
      {series.map(({ name, is_dashed, ...each }, index) => (
        <path
          key={name}
          d={pathOf(drawn(each)) ?? ''}
          class={`fill-none ${SHADES[index % SHADES.length]}`}
          stroke-width={2}
          stroke-linejoin="round"
          stroke-dasharray={is_dashed ? '5 4' : undefined}
          vector-effect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
}

/** The values of a line; a single one is drawn over the whole width, as a point has no length. */
function drawn({ values }: Pick<Series, 'values'>): number[] {
  return values.length === 1 ? [...values, ...values] : values
}

/** The name of each line, beside a sample of its stroke. */
function Legend({ series }: { series: Series[] }): JSX.Element {
  return (
    <span class="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {series.map(({ name, is_dashed }, index) => (
        <span key={name} class="inline-flex items-center gap-2">
          <svg viewBox="0 0 24 4" class="h-1 w-6" aria-hidden="true">
            <line
              x1={0}
              x2={24}
              y1={2}
              y2={2}
              class={SHADES[index % SHADES.length]}
              stroke-width={2}
              stroke-dasharray={is_dashed ? '5 4' : undefined}
            />
          </svg>
          {name}
        </span>
      ))}
    </span>
  )
}

/** The same figures as a table. */
function Figures({ title, labels, label_heading, series, format }: ChartFacts): JSX.Element {
  return (
    <details class="group text-sm">
      <summary class="textlink inline-flex min-h-11 items-center">
        Show as table<span class="sr-only">: {title}</span>
      </summary>
      <RecordTable
        caption={title}
        columns={[
          { label: label_heading },
          ...series.map(({ name }) => ({ label: name, numeric: true })),
        ]}
        rows={labels.map((label, index) => ({
          key: label,
          cells: [
            label,
            ...series.map(({ name, values }) => (
              <span key={name} class="whitespace-nowrap">
                {format(values[index] ?? 0)}
              </span>
            )),
          ],
        }))}
      />
    </details>
  )
}
