# The lab in a container: runs a suite of scenarios and leaves stored runs and a report in /out.
#
#     docker build -t squall .
#     mkdir out && docker run --rm --network none --user "$(id -u)" -v "$PWD/out:/out" squall
#     docker run --rm --network none --user "$(id -u)" -v "$PWD/mine:/mine:ro" -v "$PWD/out:/out" squall \
#         suite /mine --strategies baseline,resilient --seeds 0..19 --output /out/runs --report /out/report.html
#
# Needs neither keys nor a network. Checked by reading alone: no container engine ran where this was written.

FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels --constraint constraints.txt .

FROM python:3.13-slim
# The wheels were made by the stage above: nothing is fetched here.
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --no-index --find-links /wheels squall && rm -r /wheels \
    && useradd --create-home --uid 1000 squall && mkdir /out && chown squall /out
COPY scenarios /scenarios
USER squall
WORKDIR /out
VOLUME /out
ENTRYPOINT ["squall"]
# Which strategy passes is what the suite finds out; that some do not is no failure of this command.
CMD ["suite", "/scenarios", "--strategies", "baseline,resilient,careless", "--seeds", "0..4", "--output", "/out/runs", "--report", "/out/report.html", "--fail-under", "0"]
