import { z } from 'zod'

// Zod would compile schemas with `new Function`, which the page's Content-Security-Policy forbids.
z.config({ jitless: true })
