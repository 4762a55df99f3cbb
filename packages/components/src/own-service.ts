import { setDefaultService } from './links.ts'

// The script is served at /components/ of the service.
setDefaultService(new URL('..', import.meta.url).href)
