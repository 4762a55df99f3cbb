import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SubNav } from '#design/navigation'
import { Panel } from '#design/panels'
import { Code, CodeBlock } from '#design/reading'
import type { AppMode, Snippet } from './snippets.ts'

/** The code that connects an app, one way at a time. */
export interface SnippetPanelFacts {
  base: string
  mode: AppMode
  snippets: Snippet[]
  /** The name of the chosen one. */
  chosen: string
}

const INTROS: Record<AppMode, string> = {
  license_keys:
    'Your app verifies license keys. Turn on hosted sign-in for code that signs buyers in.',
  hosted_sign_in:
    'Your app signs buyers in here. Turn hosted sign-in off for code that verifies license keys.',
}

/** Ready code with the app's own values, chosen by links that need no script. */
export function SnippetPanel({ base, mode, snippets, chosen }: SnippetPanelFacts): JSX.Element {
  const links = snippets.map(({ name, label }) => ({
    label,
    href: `${base}?snippet=${name}#code`,
    current: name === chosen,
  }))
  const current = links.find((each) => each.current)?.label
  return (
    <Panel id="code" title="Code">
      <p class="text-sm text-muted">{INTROS[mode]}</p>
      <SubNav label="Code for" links={links} folded={`Code for ${current}`} />
      {snippets
        .filter(({ name }) => name === chosen)
        .map(({ name, before, files }) => (
          <div key={name} class="grid grid-cols-1 gap-4">
            <p class="text-sm wrap-anywhere">{before}</p>
            {files.map((file, index) => (
              <CodeBlock
                key={file.name}
                id={`snippet-${index}`}
                label={file.name}
                code={file.code}
              />
            ))}
          </div>
        ))}
      <p class="text-sm text-muted">
        Set <Code>PURSER_CLIENT_SECRET</Code> on your server to the client secret. It must never
        reach a browser. <TextLink href="/api/v1/docs/">API reference</TextLink>
      </p>
    </Panel>
  )
}
