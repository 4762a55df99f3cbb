import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import { Chart } from '#design/chart'
import { TICK_STEP, tickText } from '#http/chart-text'

/** A chart of these cents, as HTML. */
function chartOf(values: number[]): string {
  const chart = Chart({
    id: 'revenue',
    title: 'Revenue',
    description: 'Revenue by day',
    labels: values.map((_, index) => `Day ${index}`),
    label_heading: 'Day',
    ends: ['first', 'last'],
    series: [{ name: 'Revenue', values }],
    format: String,
    formatTick: tickText,
    smallest_step: TICK_STEP,
  })
  return renderToString(chart)
}

/** The labels of the axis of a chart, from its lowest to its highest. */
function axisOf(values: number[]): string[] {
  const [axis] = /<div aria-hidden="true".*?<\/div>/.exec(chartOf(values)) ?? []
  return [...axis!.matchAll(/<span>(.*?)<\/span>/g)].map(([, label]) => label!)
}

test('the axis of small amounts has different labels in whole dollars', () => {
  assert.deepEqual(axisOf([0, 0]), ['$0', '$1', '$2', '$3', '$4'])
  assert.deepEqual(axisOf([0, -50]), ['−$1', '$0', '$1', '$2', '$3', '$4'])
  assert.deepEqual(axisOf([0, 360]), ['$0', '$1', '$2', '$3', '$4'])
})

test('the axis has no step below zero for a loss too small to see', () => {
  assert.deepEqual(axisOf([100_000, -200]), ['$0', '$200', '$400', '$600', '$800', '$1K'])
  assert.equal(axisOf([100_000, -20_000])[0], '−$200')
})

test('the axis of large amounts is shortened', () => {
  assert.deepEqual(axisOf([0, 123_456]), ['$0', '$500', '$1K', '$1.5K'])
})

test('a single day is drawn as a line over the whole width', () => {
  const lines = [...chartOf([300]).matchAll(/<path d="(M[^"]*)"/g)].map(([, path]) => path)
  assert.deepEqual(lines, ['M0,75L1000,75L1000,300L0,300Z', 'M0,75L1000,75'])
})
