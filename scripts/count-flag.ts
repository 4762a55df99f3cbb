/** The whole number, from 1, that a flag of a program has; ends the program if it has another. */
export function countFlag(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  console.error(`--${flag} must be a whole number from 1: ${text}`)
  process.exit(2)
}
