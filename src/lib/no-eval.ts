import { z } from 'zod'

// Otherwise Zod compiles schemas with `new Function`, which the Content-Security-Policy forbids.
z.config({ jitless: true })
