/** Where pull requests are opened. */
export interface ReviewService {
  /** An open pull request of that branch. Throws `PULL_REQUEST_FAILED`. */
  find(request: ReviewRequest): Promise<FoundReview | undefined>;
  /** Throws `PULL_REQUEST_FAILED`. Gives its address. */
  open(request: ReviewRequest): Promise<string>;
}

export interface ReviewRequest {
  readonly branch: string;
  readonly base: string;
  /** A pull request of that branch into another base is not the one that is meant. */
  readonly isBaseChosen: boolean;
  readonly remote: string;
  readonly commit: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

export interface FoundReview {
  readonly url: string;
  readonly base: string;
}

export interface ServiceSetting {
  /** The root of the checkout. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
