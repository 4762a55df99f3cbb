/** Runs one part of the scenario: its name and facts are arguments, its result is printed. */
import process from 'node:process'
import { parts } from './scenario.js'

const [part, facts] = process.argv.slice(2)
parts[part](JSON.parse(facts)).then((result) => console.log(JSON.stringify(result)))
