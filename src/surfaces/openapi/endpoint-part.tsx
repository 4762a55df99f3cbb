import type { JSX } from 'preact'
import { Badge } from '#design/feedback'
import { Disclosure } from '#design/panels'
import { Code, CodeBlock, ReferenceTable, RichText } from '#design/reading'
import { highlight } from '#platform/highlight'
import type { Reference, ReferenceEndpoint, ReferenceField } from './reference.ts'
import { requestCodesOf } from './request-code.ts'
import { TryIt } from './try-it.tsx'

/** A part of a documentation page, made with the values of the installation. */
export type EndpointPart = (values: Record<string, string>) => JSX.Element

/** How a request to an endpoint is authenticated, in a sentence. */
export const AUTH: Record<ReferenceEndpoint['auth'], string> = {
  none: 'No authentication. Scripts on any web page may call it.',
  basic: 'HTTP Basic with your client ID and client secret. Call it from your server only.',
  bearer: 'The access token of the signed-in buyer.',
}

/** Each endpoint as a part of a page, by `endpoint-` and its name in the OpenAPI document. */
export function endpointParts(
  base_url: string,
  names: readonly string[],
  reference: () => Reference,
): Record<string, EndpointPart> {
  const endpointOf = (name: string) =>
    reference()
      .groups.flatMap((group) => group.endpoints)
      .find(({ id }) => id === name)!
  return Object.fromEntries(
    names.map((name): [string, EndpointPart] => [
      `endpoint-${name}`,
      (values) => (
        <EndpointDetails endpoint={endpointOf(name)} base_url={base_url} values={values} />
      ),
    ]),
  )
}

function EndpointDetails(facts: {
  endpoint: ReferenceEndpoint
  base_url: string
  values: Record<string, string>
}): JSX.Element {
  const { endpoint, base_url } = facts
  const { id, method, path, parameters, body, responses } = endpoint
  const of = `${method} ${path}`
  const good = responses.filter(({ status }) => status < '400')
  const bad = responses.filter(({ status }) => status >= '400')
  return (
    <div class="grid grid-cols-1 gap-5">
      <p class="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge>{method}</Badge>
        <span class="font-mono text-sm wrap-anywhere">{path}</span>
      </p>
      <RichText clean_html={endpoint.description_html} />
      <p>{AUTH[endpoint.auth]}</p>
      {parameters.length > 0 && (
        <Fields title="Parameters" of={of} fields={parameters} marks_required />
      )}
      {body && body.fields.length > 0 && (
        <Fields title="Request body" of={of} fields={body.fields} marks_required />
      )}
      {requestCodesOf(endpoint, base_url).map(({ label, tag, code }) => (
        <CodeBlock
          key={tag}
          id={`${id}-${tag}`}
          label={label}
          code={code}
          clean_html={highlight(code, tag)}
        />
      ))}
      {good.map(({ status, example, fields, description_html }) => (
        <div key={status} class="grid grid-cols-1 gap-4">
          {example === undefined ? (
            <div class="flex gap-2">
              {status} <RichText clean_html={description_html} />
            </div>
          ) : (
            <CodeBlock
              id={`${id}-${status}`}
              label={`Response ${status}`}
              code={example}
              clean_html={highlight(example, 'json')}
            />
          )}
          {fields.length > 0 && <Fields title={`Fields of ${status}`} of={of} fields={fields} />}
        </div>
      ))}
      <ErrorTable of={of} responses={bad} />
      <Disclosure summary="Try it">
        <TryIt endpoint={endpoint} values={facts.values} />
      </Disclosure>
    </div>
  )
}

function ErrorTable(facts: { of: string; responses: ReferenceEndpoint['responses'] }): JSX.Element {
  const rows = facts.responses.flatMap(({ status, codes }) =>
    codes.map(({ code, message }) => ({ status, code, message })),
  )
  return (
    <ReferenceTable
      caption={`Errors: ${facts.of}`}
      columns={['Error', 'Meaning', 'Status']}
      rows={rows.map(({ status, code, message }) => ({
        key: code,
        cells: [
          <a href={errorPath(code)}>
            <Code>{code}</Code>
          </a>,
          message,
          status,
        ],
      }))}
    />
  )
}

/** The page of an error code. */
function errorPath(code: string): string {
  return `/docs/errors/${code.replaceAll(/\W+/g, '_').toLowerCase()}/`
}

/** A table of fields with their types. */
export function Fields(facts: {
  title: string
  of: string
  fields: ReferenceField[]
  marks_required?: boolean
}): JSX.Element {
  return (
    <ReferenceTable
      caption={`${facts.title}: ${facts.of}`}
      columns={[facts.title, 'Description', 'Type']}
      rows={facts.fields.map(({ path, type, is_required, description_html }) => ({
        key: path,
        cells: [
          <Code>{path}</Code>,
          <>
            {facts.marks_required && is_required && <span class="text-muted">Required. </span>}
            <RichText clean_html={description_html} />
          </>,
          <span class="font-mono text-xs">{type}</span>,
        ],
      }))}
    />
  )
}
