import { discoveryTools } from './discovery-tools.ts'
import { integrationTools } from './integration-tools.ts'
import { listingTools } from './listing-tools.ts'
import type { Tool } from './tool.ts'

/** Every tool of the agent endpoint, in the order in which agents list them. */
export const tools: Tool[] = [...discoveryTools, ...integrationTools, ...listingTools]
