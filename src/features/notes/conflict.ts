import * as z from 'zod/mini'

const Conflict = z.object({ code: z.literal('PT409') })

/** Whether the database rejected a change because a newer version exists. */
export const isConflict = (error: unknown): boolean => Conflict.safeParse(error).success
