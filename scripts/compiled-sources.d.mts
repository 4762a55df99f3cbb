export const COMPILED: string
export function compiledName(file: string, source: string): string
export function readCompiled(file: string, source: string, folder?: string): string | undefined
export function compileJsx(file: string, source: string): string
