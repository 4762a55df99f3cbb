import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Disclosure } from '#design/panels'
import { Chapter, CodeBlock, ReferenceTable, RichText } from '#design/reading'
import { siteNav } from '#http/site-menu'
import { AUTH, Fields } from './endpoint-part.tsx'
import type { Reference, ReferenceEndpoint } from './reference.ts'
import { curlOf } from './request-code.ts'
import { TryIt } from './try-it.tsx'

/** The API reference, with a form for each endpoint that calls it. */
export function ReferencePage({
  base_url,
  reference,
}: {
  base_url: string
  reference: Reference
}): JSX.Element {
  return (
    <SiteLayout
      title="API · Purser"
      description="The Purser API: live prices and license verification for web apps."
      canonical_url={`${base_url}/api/v1/docs/`}
      script="try-it.js"
      listed
      site_nav={siteNav('api')}
    >
      <header class="grid max-w-2xl gap-3">
        <h1 class="text-3xl font-semibold tracking-tight">Purser API</h1>
        <p class="text-lg text-muted">{reference.summary}</p>
        <ul class="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <li>Version {reference.version}</li>
          <li>
            <TextLink href="/api/v1/schema/">OpenAPI description (JSON)</TextLink>
          </li>
        </ul>
      </header>
      <Endpoints reference={reference} />
      <div class="max-w-prose">
        <RichText clean_html={reference.introduction_html} />
      </div>
      {reference.groups.map(({ name, description, endpoints }) => (
        <Chapter key={name} id={name.toLowerCase().replaceAll(' ', '-')} title={name}>
          <p class="text-muted">{description}</p>
          {endpoints.map((endpoint) => (
            <Endpoint key={endpoint.id} endpoint={endpoint} base_url={base_url} />
          ))}
        </Chapter>
      ))}
    </SiteLayout>
  )
}

function Endpoints({ reference }: { reference: Reference }): JSX.Element {
  return (
    <nav aria-label="Endpoints">
      <ul class="divide-y divide-base-300 rounded-box border border-base-300 bg-base-100">
        {reference.groups
          .flatMap(({ endpoints }) => endpoints)
          .map(({ id, method, path, summary }) => (
            <li key={id}>
              <a
                class="grid min-h-11 items-center gap-x-4 px-4 py-2 text-sm hover:bg-wash sm:grid-cols-[3.5rem_1fr_auto]"
                href={`#${id}`}
              >
                <span class="font-mono text-xs text-muted">{method}</span>
                <span class="min-w-0 font-mono text-xs wrap-anywhere">{path}</span>
                <span>{summary}</span>
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

function Endpoint(facts: { endpoint: ReferenceEndpoint; base_url: string }): JSX.Element {
  const { endpoint, base_url } = facts
  const { id, method, path, parameters, body, responses } = endpoint
  const good = responses.filter(({ example }) => example !== undefined)
  return (
    <section
      id={id}
      aria-label={`${endpoint.summary}: ${method} ${path}`}
      class="grid scroll-mt-6 grid-cols-1 gap-5 rounded-box border border-base-300 bg-base-100 p-5 sm:p-6"
    >
      <header class="grid gap-2">
        <h3 class="text-lg font-semibold">{endpoint.summary}</h3>
        <p class="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge>{method}</Badge>
          <span class="font-mono text-sm wrap-anywhere">{path}</span>
        </p>
        <RichText clean_html={endpoint.description_html} />
        <p class="text-sm text-muted">{AUTH[endpoint.auth]}</p>
      </header>
      {parameters.length > 0 && (
        <Fields title="Parameters" of={`${method} ${path}`} fields={parameters} marks_required />
      )}
      {body && body.fields.length > 0 && (
        <Fields title="Request body" of={`${method} ${path}`} fields={body.fields} marks_required />
      )}
      <CodeBlock id={`${id}-curl`} label="Request" code={curlOf(endpoint, base_url)} />
      {good.map(({ status, example, fields }) => (
        <div key={status} class="grid grid-cols-1 gap-4">
          <CodeBlock id={`${id}-${status}`} label={`Response ${status}`} code={example!} />
          {fields.length > 0 && (
            <Disclosure summary={`Fields of ${status}`}>
              <Fields title={`Fields of ${status}`} of={`${method} ${path}`} fields={fields} />
            </Disclosure>
          )}
        </div>
      ))}
      <Disclosure summary="All responses">
        <ReferenceTable
          caption={`Responses: ${method} ${path}`}
          columns={['Status', 'Meaning']}
          rows={responses.map(({ status, description_html }) => ({
            key: status,
            cells: [status, <RichText clean_html={description_html} />],
          }))}
        />
      </Disclosure>
      <TryIt endpoint={endpoint} />
    </section>
  )
}
