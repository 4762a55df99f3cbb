import { readFileSync } from 'node:fs'
import { type PageHeading, renderChapter } from './markdown.ts'

const FILE = new URL('../../../CHANGELOG.md', import.meta.url)

/** A kind of change in the contents of the changelog, such as "Fixed", with its subjects. */
export interface ChangelogSection extends PageHeading {
  subjects: PageHeading[]
}

/** A version in the contents of the changelog, with its kinds of change. */
export interface ChangelogVersion extends PageHeading {
  sections: ChangelogSection[]
}

/** What changed in each version, and its contents, latest version first. */
export interface Changelog {
  clean_html: string
  versions: ChangelogVersion[]
}

/** Reads and renders CHANGELOG.md. */
export function readChangelog(): Changelog {
  const text = readFileSync(FILE, 'utf8')
    .replace(/^# .*\n/, '')
    .replace(/^## \[(.+?)\]/gm, '## $1')
  const chapter = { file: 'CHANGELOG.md', title: 'Changelog', text }
  const { clean_html, headings } = renderChapter(chapter, { values: {}, parts: {} })
  const versions: ChangelogVersion[] = []
  for (const heading of headings) {
    if (heading.depth === 2) versions.push({ ...heading, sections: [] })
    else if (heading.depth === 3) versions.at(-1)!.sections.push({ ...heading, subjects: [] })
    else versions.at(-1)!.sections.at(-1)!.subjects.push(heading)
  }
  return { clean_html, versions }
}
