# docker build -t trove-lite . && docker run --rm -v "$PWD/results:/kit/results" trove-lite
# Programs of models need Landlock and seccomp. Where the host's profile forbids them, `trove-lite doctor` says what to allow.
FROM python:3.12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /kit
COPY . .
RUN make .venv/ready
CMD ["make", "reproduce"]
