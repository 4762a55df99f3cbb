/** The script that the service serves: elements use the service that it came from. */
// First, because the elements of a page begin as soon as they are registered.
import './own-service.ts'

export * from './index.ts'
