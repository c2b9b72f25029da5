import * as z from 'zod/mini'

/** An optional value that is ignored if invalid: for URLs, which people edit, and for foreign data. */
export const lenient = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)
