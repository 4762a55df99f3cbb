// Searches the documentation while a person types. Without it, the form asks the server.
import { type FoundSection, searcherOf } from '#platform/section-search'

type Search = (query: string) => FoundSection[]

let index: Promise<Search> | undefined

/** The index is loaded when the field is first used. */
function load(): Promise<Search> {
  index ??= fetch('/docs/search.json')
    .then((response) => {
      if (!response.ok) throw new Error(`The index answered ${response.status}`)
      return response.text()
    })
    .then(searcherOf)
  index.catch(() => {
    index = undefined
  })
  return index
}

/** A result, made of the template on the page. */
function entryOf(template: HTMLElement, found: FoundSection): HTMLElement {
  const link = template.cloneNode(true) as HTMLAnchorElement
  const { path, page, heading, excerpt } = found
  link.href = path
  link.children[0]?.replaceChildren(heading === page ? page : `${page}: ${heading}`)
  link.children[1]?.replaceChildren(excerpt)
  return link
}

function startForm(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[name=q]')
  const results = form.querySelector<HTMLElement>('[data-docs-results]')
  const status = form.querySelector('[data-docs-status]')
  const template = form.querySelector<HTMLTemplateElement>('[data-docs-entry]')?.content
  const [link, none] = template?.children ?? []
  if (!field || !results || !status || !link || !none) return

  const close = () => {
    results.classList.add('hidden')
    results.replaceChildren()
    status.textContent = ''
  }
  const show = async () => {
    const query = field.value
    if (query.trim() === '') return close()
    const found = await load().then(
      (search) => search(query),
      () => undefined,
    )
    if (!found || field.value !== query) return
    status.textContent = found.length === 1 ? '1 result' : `${found.length} results`
    const entries = found.map((each) => entryOf(link as HTMLElement, each))
    results.replaceChildren(...(entries.length > 0 ? entries : [none.cloneNode(true)]))
    results.classList.remove('hidden')
  }
  const go = (step: number) => {
    const stops = [field, ...results.querySelectorAll('a')]
    const at = stops.indexOf(document.activeElement as HTMLInputElement)
    stops.at((at + step) % stops.length)?.focus()
  }

  field.addEventListener('focus', () => void load().catch(() => undefined))
  field.addEventListener('input', show)
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !results.classList.contains('hidden')) {
      event.preventDefault()
      close()
      field.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    if (results.classList.contains('hidden')) return
    event.preventDefault()
    go(event.key === 'ArrowDown' ? 1 : -1)
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close()
  })
  document.addEventListener('keydown', (event) => {
    const { target } = event
    const isTyping =
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}

/** Shows the current page in the side navigation, which scrolls on a desktop. */
export function showCurrentPage(): void {
  const current = document.querySelector('[data-docs-nav] [aria-current=page]')
  const nav = current?.closest('[data-docs-side]')
  if (current instanceof HTMLElement && nav)
    nav.scrollTop = current.offsetTop - nav.clientHeight / 2
}

/** Starts the search of the page. The key / focuses it, arrows choose, and Escape closes it. */
export function startDocsSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-docs-search]')
  if (form) startForm(form)
}
