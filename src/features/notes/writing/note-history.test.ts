// @vitest-environment node
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWriter, edit, edits, fakeDatabase, type Message, type Writer } from './fake-writers.ts'
import { changeText } from './shared-text.ts'

/** `npm run test:nightly notes` does more. */
const RUNS = Number(process.env.NOTE_RUNS ?? 10)
const STEPS = Number(process.env.NOTE_STEPS ?? 120)

const times = <Kind extends string>(count: number, kind: Kind): Kind[] => Array(count).fill(kind)
/** What happens, and how often. */
const WHAT = [
  ...times(8, 'insert'),
  ...times(2, 'remove'),
  ...(['split', 'split', 'join', 'wrap', 'unwrap', 'heading'] as const),
  ...times(10, 'deliver'),
  ...times(2, 'lose'),
  ...times(4, 'flush'),
  ...(['loseAnswer', 'pull', 'save', 'disconnect', 'connect', 'connect', 'reopen', 'elsewhere'] as const),
]

const someSteps = fc.array(fc.tuple(fc.nat(WHAT.length - 1), fc.nat(2), fc.nat(1_000_000)), {
  minLength: STEPS,
  maxLength: STEPS,
})

/** Every inserted letter is another one, so that each can be found again. */
const letter = (count: number): string => String.fromCharCode(0x4e00 + count)
const lettersIn = (text: string): string[] => text.match(/[\u4e00-\u9fff]/g) ?? []

test('writers who lose messages, answers, network and pages end with the same text, and no letter is lost', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, async (steps) => {
      const database = fakeDatabase('The lamp burns.\n\nThe sea is dark.\n\n- One\n- Two\n')
      const air: Message[] = []
      const writers: Writer[] = []
      for (let n = 0; n < 3; n += 1) writers.push(createWriter(database, () => writers, air))
      // Begun by two at once.
      await Promise.all(writers.map((writer) => writer.open()))
      let count = 0
      const expected = new Set<string>()

      for (const [what, who, number] of steps) {
        const writer = writers[who] as Writer
        const kind = WHAT[what] as (typeof WHAT)[number]
        if (kind === 'insert') {
          const inserted = letter(count++)
          await writer.attempt(async ({ doc }) => {
            edit(doc, edits.insert(number, inserted))
            expected.add(inserted)
          })
        } else if (kind === 'remove') {
          await writer.attempt(async ({ doc, text }) => {
            const removed = lettersIn(text())[number % Math.max(1, count)]
            if (!removed) return
            edit(doc, edits.remove(removed))
            expected.delete(removed)
          })
        } else if (kind === 'split' || kind === 'join' || kind === 'wrap' || kind === 'unwrap' || kind === 'heading') {
          await writer.attempt(async ({ doc }) => edit(doc, edits[kind](number)))
        } else if (kind === 'deliver' || kind === 'lose') {
          const [message] = air.splice(number % Math.max(1, air.length), 1)
          if (kind === 'deliver' && message) {
            if ('update' in message) message.to.receive(message.update)
            else await message.to.attempt((history) => history.pull())
          }
        } else if (kind === 'flush' || kind === 'pull' || kind === 'save') {
          await writer.attempt((history) => history[kind]())
        } else if (kind === 'loseAnswer') writer.loseNextAnswer()
        else if (kind === 'disconnect') writer.setOnline(false)
        else if (kind === 'connect') writer.setOnline(true)
        else if (kind === 'reopen') {
          await writer.attempt(async () => {
            writer.close()
            await writer.open()
          })
        } else {
          const added = letter(count++)
          database.addVersion(`${database.latest().text.trimEnd()}\n\n${added}\n`)
          expected.add(added)
        }
      }

      for (const writer of writers) writer.setOnline(true)
      for (let round = 0; round < 6; round += 1)
        for (const writer of writers)
          await writer.attempt(async (history) => {
            await history.flush()
            await history.update()
            const { clash } = history.state()
            if (clash) await history.decide(`${history.text()}\n\n${lettersIn(clash.theirs).join('')}\n`)
          })
      const texts = await Promise.all(writers.map(async (writer) => (await writer.history()).text()))
      expect(new Set(texts).size).toBe(1)
      await (await (writers[0] as Writer).history()).save()
      const saved = database.latest().text
      expect(saved).toBe(texts[0])
      const found = new Set(lettersIn(saved))
      expect([...expected].filter((inserted) => !found.has(inserted))).toEqual([])
      // Who opens the note later finds the same.
      const later = await createWriter(database, () => [], []).open()
      expect(later.text()).toBe(saved)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 3_600_000)

test('a reading of versions that ends after the conflict was decided does not tell of it again', async () => {
  const database = fakeDatabase('The lamp burns.\n')
  const isReading = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  let isSlow = false
  const readVersion = async (version: string) => {
    const text = await database.store.readVersion(version)
    if (isSlow) {
      isReading.resolve()
      await mayAnswer.promise
    }
    return text
  }
  const writer = createWriter({ ...database, store: { ...database.store, readVersion } }, () => [], [])
  const history = await writer.open()
  changeText(history.doc, 'The lamp glows.\n')
  database.addVersion('The lamp is out.\n')
  expect(await history.update()).toBe(false)
  expect(history.state().clash).toMatchObject({ theirs: 'The lamp is out.\n' })
  isSlow = true
  const late = history.update()
  await isReading.promise
  await history.decide('The lamp glows.\n')
  mayAnswer.resolve()
  expect(await late).toBe(true)
  expect(history.state()).toMatchObject({ clash: undefined, isSaved: true })
  expect(database.latest().text).toBe('The lamp glows.\n')
})
