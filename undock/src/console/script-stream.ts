import type { Log } from '../kernel/service.ts'
import type { ScriptEvent } from './tabs.ts'

/** Answers what a script says as lines of JSON while it runs, so that a large result is shown before its end. What a slow reader
 *  has not read yet waits in memory, as long as results may be: a page that sleeps must not keep a transaction open.
 *  @throws what is thrown before the first event. */
export async function answerScript(events: AsyncGenerator<ScriptEvent, void>, log: Log): Promise<Response> {
  const encoder = new TextEncoder()
  const first = await events.next()
  let isGone = false

  async function send(controller: ReadableStreamDefaultController): Promise<void> {
    try {
      for (let next = first; !next.done && !isGone; next = await events.next())
        controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`))
      await events.return()
    } catch (error) {
      // Without the last event, the client knows that the answer broke off.
      log.error('The console failed to run a script', error)
    }
    if (!isGone) controller.close()
  }

  const body = new ReadableStream({
    start(controller) {
      void send(controller)
    },
    cancel() {
      isGone = true
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}
