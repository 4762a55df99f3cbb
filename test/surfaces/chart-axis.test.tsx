import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import { Chart } from '#design/chart'
import { TICK_STEP, tickText } from '#http/chart-text'

/** The labels of the axis of a chart of these cents, from its lowest to its highest. */
function axisOf(values: number[]): string[] {
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
  const [axis] = /<div aria-hidden="true".*?<\/div>/.exec(renderToString(chart)) ?? []
  return [...axis!.matchAll(/<span>(.*?)<\/span>/g)].map(([, label]) => label!)
}

test('the axis of small amounts has different labels in whole dollars', () => {
  assert.deepEqual(axisOf([0, 0]), ['$0', '$1', '$2', '$3', '$4'])
  assert.deepEqual(axisOf([0, -50]), ['−$1', '$0', '$1', '$2', '$3', '$4'])
  assert.deepEqual(axisOf([0, 360]), ['$0', '$1', '$2', '$3', '$4'])
})

test('the axis of large amounts is shortened', () => {
  assert.deepEqual(axisOf([0, 123_456]), ['$0', '$500', '$1K', '$1.5K'])
})
