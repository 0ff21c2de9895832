/** Those who have asked something, and will be told that there is no answer if there can be none any more. */
export class Unanswered {
  readonly #rejects = new Set<(error: Error) => void>();

  /** `put` hands over the way to answer. */
  wait<Answer>(put: (answer: (given: Answer) => void) => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      put((given) => {
        this.#rejects.delete(reject);
        resolve(given);
      });
    });
  }

  refuse(error: Error): void {
    for (const reject of this.#rejects) reject(error);
  }
}
