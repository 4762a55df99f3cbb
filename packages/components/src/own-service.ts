import { setService } from './links.ts'

// The script is served at /components/ of the service.
setService(new URL('..', import.meta.url).href)
