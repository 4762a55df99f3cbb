/** Digits in groups, as on the card: 4-4-4-4, or 4-6-5 for American Express. */
export function formatCard(text: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 19)
  const groups = /^3[47]/.test(digits) ? [4, 6, 5] : [4, 4, 4, 4, 3]
  const parts: string[] = []
  let at = 0
  for (const size of groups) {
    if (at < digits.length) parts.push(digits.slice(at, at + size))
    at += size
  }
  return parts.join(' ')
}

const writtenExpiry = /^\s*(0?[1-9]|1[0-2])\s*[/.-]\s*(\d{0,4})/

/** Without a slash, two digits are the month, or one if two would not be a month. */
function partExpiry(text: string): [month: string, year: string] {
  const digits = text.replace(/\D/g, '')
  const size = /^([2-9]|1[3-9])/.test(digits) ? 1 : 2
  return [digits.slice(0, size), digits.slice(size, size + 4)]
}

/** Month and two-digit year as `04 / 27`, from what is typed, pasted or filled in (`4/2027`). */
export function formatExpiry(text: string): string {
  const written = writtenExpiry.exec(text)
  const [month, year] = written ? [written[1]!, written[2]!] : partExpiry(text)
  const whole = written || year || /^[2-9]/.test(month) ? month.padStart(2, '0') : month
  if (!year) return whole
  return `${whole} / ${year.length === 4 ? year.slice(2) : year}`
}

/** Five digits, also from ZIP+4; a postal code with other characters is left as it is. */
export function formatZip(text: string): string {
  return /^[\d\s-]*$/.test(text) ? text.replace(/\D/g, '').slice(0, 5) : text
}

/** Digits only, such as a card's security code. */
function formatDigits(text: string): string {
  return text.replace(/\D/g, '')
}

const formats: Record<string, (text: string) => string> = {
  card: formatCard,
  expiry: formatExpiry,
  zip: formatZip,
  digits: formatDigits,
}

/** The caret position with as many digits before it as there were before formatting. */
function caretAfter(text: string, digits: number): number {
  let seen = 0
  for (let at = 0; at < text.length; at++) {
    if (seen === digits) return at
    if (/\d/.test(text.charAt(at))) seen++
  }
  return text.length
}

function reformat(input: HTMLInputElement, format: (text: string) => string): void {
  const before = input.value
  const after = format(before)
  if (after === before) return
  const caret = input.selectionStart ?? before.length
  const atEnd = caret === before.length
  const digits = before.slice(0, caret).replace(/\D/g, '').length
  input.value = after
  if (document.activeElement !== input) return
  const place = atEnd ? after.length : caretAfter(after, digits)
  input.setSelectionRange(place, place)
}

/** Groups digits while a person types, pastes or autofills. */
export function startFormatting(): void {
  document.addEventListener('input', (event) => {
    const input = event.target
    if (!(input instanceof HTMLInputElement)) return
    const format = formats[input.dataset.format ?? '']
    const deleting = event instanceof InputEvent && event.inputType.startsWith('delete')
    if (!format || deleting) return
    reformat(input, format)
  })
  document.addEventListener('change', (event) => {
    const input = event.target
    if (!(input instanceof HTMLInputElement)) return
    const format = formats[input.dataset.format ?? '']
    if (format) reformat(input, format)
  })
}
