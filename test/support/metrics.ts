/** A value of a scrape. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** The values at the address of a service's figures, in the text format of Prometheus. */
export async function scrape(url: string): Promise<Sample[]> {
  const answer = await fetch(url)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`)
  return readSamples(text)
}

/** The samples of a text in the format of Prometheus. */
function readSamples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (!name) throw new Error(`not a sample: ${line}`)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label, text]) => [label!, text!])),
        value: Number(value),
      }
    })
}

/** The names of the metrics of these samples, a histogram under its own name. */
export function metricsOf(samples: readonly Sample[]): string[] {
  const names = samples.map(({ name }) => name)
  const histograms = new Set(
    names
      .filter((name) => name.endsWith('_bucket'))
      .map((name) => name.slice(0, -'_bucket'.length)),
  )
  const own = names.map((name) => {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    return histograms.has(base) ? base : name
  })
  return [...new Set(own)].sort()
}
