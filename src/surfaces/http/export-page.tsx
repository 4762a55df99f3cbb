import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { DescriptionList, EmptyState, Heading, Panel } from '#design/panels'
import type { Locale, MessageId } from '#platform/language/locale'

/** A finished export, for its owner. */
export interface ExportFacts {
  locale: Locale
  /** The page on which it was requested. */
  back_url: string
  /** For how many days a file is kept, and how many of an account. */
  kept: { days: number; count: number }
  /** Undefined once the file was deleted. */
  file:
    | { name: string; type: string; rows: number; bytes: number; url: string; kept_until: Date }
    | undefined
}

/** The download page of an export, or a note that it has expired. */
export function ExportPage({ locale, back_url, kept, file }: ExportFacts): JSX.Element {
  const { t } = locale
  const title = t(file ? 'export.ready_title' : 'export.expired_title')
  const page = { locale, title: t('task.page_title', { title }) }
  const back = (
    <Button href={back_url} icon="arrow-left">
      {t('task.back')}
    </Button>
  )
  if (!file) {
    return (
      <SiteLayout {...page}>
        <Heading title={title} />
        <EmptyState title={t('export.kept', kept)} action={back}>
          {t('export.expired_text')}
        </EmptyState>
      </SiteLayout>
    )
  }
  return (
    <SiteLayout {...page}>
      <Heading title={title} done>
        {t(textOf(file.type))}
      </Heading>
      <Panel>
        <DescriptionList
          items={[
            { term: t('export.file'), detail: file.name },
            {
              term: t(isCsv(file.type) ? 'export.rows' : 'export.records'),
              detail: file.rows.toLocaleString('en-US'),
            },
            { term: t('export.size'), detail: sizeOf(file.bytes) },
            { term: t('export.expires'), detail: <Day date={file.kept_until} /> },
          ]}
        />
        <Actions>
          <Button kind="primary" href={file.url}>
            {t('export.download')}
          </Button>
          {back}
        </Actions>
      </Panel>
    </SiteLayout>
  )
}

const isCsv = (type: string) => type.startsWith('text/csv')

function textOf(type: string): MessageId {
  if (isCsv(type)) return 'export.type_csv'
  return type === 'application/zip' ? 'export.type_zip' : 'export.type_json'
}

const UNITS = ['bytes', 'KB', 'MB', 'GB']

/** A file size in steps of a thousand: `512 bytes`, `1.4 MB`. */
function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = bytes / 1000 ** step
  return `${step === 0 ? size : size.toFixed(1)} ${UNITS[step]}`
}
