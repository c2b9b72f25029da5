type Forget = () => void

const registered = new Set<Forget>()

/** Registers what holds something of the person who is signed in, to be emptied when somebody else may be next. */
export function forgetWithPerson(forget: Forget): void {
  registered.add(forget)
}

export function forgetPerson(): void {
  for (const forget of registered) forget()
}
