/** Nobody is logged in: the run ends, since what it would see from now on says nothing of the pages. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`login: ${message}`, options)
    this.name = "LoginError"
  }
}
