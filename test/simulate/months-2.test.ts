import { simulate } from './seeds.ts'

simulate(1)
