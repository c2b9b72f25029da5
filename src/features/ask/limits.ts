/** The function's limit on documents per question. Its own module, because the route loads it at startup. */
export const MAX_ASKED_DOCUMENTS = 100
