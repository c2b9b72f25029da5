// Run by asking.ts inside `undock run`: adds English manuals to a library and asks questions.
import { ANSWERED, NOT_ANSWERED } from '../fixtures/manuals.ts'
import { type AskingCounts, addManuals, measureAsking } from './manual-library.ts'
import { englishManuals } from './manuals.ts'

export type AskingFigures = { readonly manuals: number; readonly tuned: AskingCounts; readonly fresh: AskingCounts }

/** The first questions are those that the rules were tuned for. */
const TUNED = { answered: 40, unanswerable: 20 }

const manuals = englishManuals()
await addManuals(manuals)
const figures: AskingFigures = {
  manuals: manuals.length,
  tuned: await measureAsking(ANSWERED.slice(0, TUNED.answered), NOT_ANSWERED.slice(0, TUNED.unanswerable)),
  fresh: await measureAsking(ANSWERED.slice(TUNED.answered), NOT_ANSWERED.slice(TUNED.unanswerable)),
}
console.log(JSON.stringify(figures))
