import * as z from 'zod/mini'

/** An optional value that counts as missing when it is malformed: for addresses, which people edit, and for what others sent. */
export const lenient = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)
