/** Whether JSON text nests deeper than `most`, so that recursion could run out of stack. */
export function nestsDeeperThan(text: string, most: number): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (isQuoted) {
      if (sign === BACKSLASH) at++
      else if (sign === QUOTE) isQuoted = false
    } else if (sign === QUOTE) isQuoted = true
    else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) {
      if (++depth > most) return true
    } else if (sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) depth--
  }
  return false
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Array.from(
  '"\\[]{}',
  (sign) => sign.charCodeAt(0),
)
