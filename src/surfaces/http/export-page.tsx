import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { DescriptionList, EmptyState, Heading, Panel } from '#design/panels'

/** A finished export, for its owner. */
export interface ExportFacts {
  /** The page on which it was requested. */
  back_url: string
  /** Days for which a file is kept. */
  kept_days: number
  /** Undefined once the file was deleted. */
  file:
    | { name: string; type: string; rows: number; bytes: number; url: string; kept_until: Date }
    | undefined
}

/** The download page of an export, or a note that it has expired. */
export function ExportPage({ back_url, kept_days, file }: ExportFacts): JSX.Element {
  const back = (
    <Button href={back_url} icon="arrow-left">
      Back
    </Button>
  )
  if (!file) {
    return (
      <SiteLayout title="This export has expired · Purser">
        <Heading title="This export has expired" />
        <EmptyState title={`Files are kept for ${kept_days} days`} action={back}>
          Go back and export again. The new file has the current data.
        </EmptyState>
      </SiteLayout>
    )
  }
  return (
    <SiteLayout title="Your export is ready · Purser">
      <Heading title="Your export is ready" done>
        {describe(file.type)}
      </Heading>
      <Panel>
        <DescriptionList
          items={[
            { term: 'File', detail: file.name },
            {
              term: file.type.startsWith('text/csv') ? 'Rows' : 'Records',
              detail: file.rows.toLocaleString('en-US'),
            },
            { term: 'Size', detail: sizeOf(file.bytes) },
            { term: 'Expires', detail: <Day date={file.kept_until} /> },
          ]}
        />
        <Actions>
          <Button kind="primary" href={file.url}>
            Download
          </Button>
          {back}
        </Actions>
      </Panel>
    </SiteLayout>
  )
}

function describe(type: string): string {
  if (type.startsWith('text/csv')) return 'A CSV file for spreadsheets and other programs.'
  if (type === 'application/zip') return 'A ZIP archive of CSV and JSON files, with a manifest.'
  return 'A JSON file that people and programs can read.'
}

const UNITS = ['bytes', 'KB', 'MB', 'GB']

/** A file size in steps of a thousand: `512 bytes`, `1.4 MB`. */
function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = bytes / 1000 ** step
  return `${step === 0 ? size : size.toFixed(1)} ${UNITS[step]}`
}
