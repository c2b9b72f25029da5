import * as z from 'zod/mini'

const Conflict = z.object({ code: z.literal('PT409') })

/** Whether the database refused a change because somebody else has saved meanwhile. */
export const isConflict = (error: unknown): boolean => Conflict.safeParse(error).success
